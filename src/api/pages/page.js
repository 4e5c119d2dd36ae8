// The pages that links lead to where there is no application of its own: each shows a form, and acts by POST alone.

const title = document.getElementById("title");
const status = document.getElementById("status");
const content = document.getElementById("content");

/** The service may stand behind a proxy under a path of its own. */
const [, base = "", page = "", code = ""] =
  /^(.*?)\/(account\/\w+|invite)(?:\/([^/]*))?$/.exec(location.pathname) ?? [];

/** The token leaves the address bar, and with it the history, as soon as it was read. */
const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
if (location.hash !== "") history.replaceState(null, "", location.pathname);

const say = (text, isError = false) => {
  status.className = isError ? "error" : "";
  status.textContent = text;
};

const head = (text) => {
  title.textContent = text;
  document.title = `${text} · work-board`;
};

/** Calls the API; an answer that is no JSON, or none at all, is a failure without issues. */
async function call(method, path, body, session) {
  try {
    const response = await fetch(`${base}/api/v1${path}`, {
      method,
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(session !== undefined && { authorization: `Bearer ${session}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    return { ok: response.ok, status: response.status, body: answer, issues: answer.issues ?? [] };
  } catch {
    return { ok: false, status: 0, body: {}, issues: [] };
  }
}

const TEXTS = {
  0: "The service cannot be reached. Try again.",
  401: "The address or the password is wrong.",
  403: "This is not allowed here.",
  404: "This link is not valid any more.",
  412: "The server cannot do this now. Ask its operator.",
  429: "Too many attempts. Wait some minutes, then try again.",
};
const reasonOf = ({ status: code, issues }) => issues[0]?.message ?? TEXTS[code] ?? "Something went wrong. Try again.";

/** An element with attributes and children. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A field with its label, its hint and its error, which assistive technology reads with it. */
function field({ name, label, type = "text", autocomplete = "off", hint, isOptional = false, ...more }) {
  const described = `${name}-hint ${name}-error`;
  const input = make("input", { id: name, name, type, autocomplete, "aria-describedby": described, ...more });
  if (!isOptional) input.required = true;
  const help = make("p", { id: `${name}-hint`, class: "hint" }, hint ?? "");
  const error = make("p", { id: `${name}-error`, class: "hint error" });
  return make("div", { class: "field" }, make("label", { for: name }, label), input, help, error);
}

function showErrors(form, issues) {
  let first = null;
  for (const input of form.querySelectorAll("input")) {
    const issue = issues.find(({ path }) => path[0] === input.name);
    document.getElementById(`${input.name}-error`).textContent = issue?.message ?? "";
    if (issue === undefined) input.removeAttribute("aria-invalid");
    else input.setAttribute("aria-invalid", "true");
    if (issue !== undefined) first ??= input;
  }
  first?.focus();
  return first !== null;
}

/** Shows a form; `submit` gets its values, and tells whether it is done. */
function showForm({ fields, button, other, note = [], submit }) {
  const action = make("button", { type: "submit" }, button);
  const form = make("form", {}, ...fields.map(field), action);
  if (other !== undefined) {
    const second = make("button", { type: "button", class: "other" }, other.label);
    second.addEventListener("click", other.open);
    form.append(second);
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    say("");
    showErrors(form, []);
    action.disabled = true;
    const filled = [...new FormData(form)].filter(([, value]) => value !== "");
    const refused = await submit(Object.fromEntries(filled));
    action.disabled = false;
    if (refused === undefined) return;
    const isShown = showErrors(form, refused.issues);
    if (!isShown) say(reasonOf(refused), true);
  });
  content.replaceChildren(form, ...note);
}

function finish(heading, text) {
  head(heading);
  content.replaceChildren();
  say(text);
  title.focus();
}

const CODE = {
  name: "code",
  label: "Code of your authenticator application",
  autocomplete: "one-time-code",
  hint: "Six digits, or a recovery code.",
};
const EMAIL = { name: "email", label: "E-mail address", type: "email", autocomplete: "username" };

const asksForCode = ({ status: code, issues }) => code === 401 && issues.some(({ path }) => path[0] === "code");

function reset(withCode = false, known = {}) {
  head("Set a new password");
  const password = {
    name: "password",
    label: "New password",
    type: "password",
    autocomplete: "new-password",
    minlength: "10",
    hint: "At least 10 characters.",
  };
  showForm({
    fields: [password, ...(withCode ? [CODE] : [])],
    button: "Set the password",
    submit: async (values) => {
      const answer = await call("POST", "/auth/password-reset/confirm", { ...values, token });
      if (answer.ok) return finish("Your password is set", "Sign in with it now. All other sessions were ended.");
      if (!withCode && asksForCode(answer)) {
        reset(true, values);
        document.getElementById("code").focus();
        return undefined;
      }
      return answer;
    },
  });
  if (known.password !== undefined) document.getElementById("password").value = known.password;
}

function confirm() {
  head("Confirm your e-mail address");
  say("Confirm that you want your account to use this address.");
  showForm({
    fields: [],
    button: "Confirm the address",
    submit: async () => {
      const answer = await call("POST", "/auth/email/confirm", { token });
      if (!answer.ok) return answer;
      return finish("The address is confirmed", `Your account uses ${answer.body.email}.`);
    },
  });
}

function unsubscribe() {
  head("Stop these mails");
  say("You will no longer get mail of this kind.");
  showForm({
    fields: [],
    button: "Unsubscribe",
    submit: async () => {
      const answer = await call("POST", `/mail/unsubscribe?token=${encodeURIComponent(token)}`, {});
      if (!answer.ok) return answer;
      return finish("You are unsubscribed", "You can switch these mails on again in your settings.");
    },
  });
}

/** Ends the session that a page began for one purpose. */
const endSession = (session) => call("POST", "/auth/sign-out", {}, session);

const joined = (workspace) => finish(`You joined ${workspace}`, "Open the application to see its boards.");

async function join(session, workspace) {
  const answer = await call("POST", "/invites/accept", { inviteCode: code }, session);
  await endSession(session);
  return answer.ok ? joined(workspace) : answer;
}

function signIn(workspace, methods, withCode = false, known = {}) {
  head(`Join ${workspace}`);
  const password = { name: "password", label: "Password", type: "password", autocomplete: "current-password" };
  showForm({
    fields: [EMAIL, password, ...(withCode ? [CODE] : [])],
    button: "Sign in and join",
    ...(methods.signUp !== "closed" && {
      other: { label: "Create an account instead", open: () => signUp(workspace, methods) },
    }),
    note: methods.oidc.length > 0 ? joiningElsewhere(methods, "Or sign in") : [],
    submit: async (values) => {
      const answer = await call("POST", "/auth/sign-in", values);
      if (answer.ok) return join(answer.body.accessToken, workspace);
      if (!withCode && asksForCode(answer)) {
        signIn(workspace, methods, true, values);
        document.getElementById("code").focus();
        return undefined;
      }
      return answer;
    },
  });
  for (const [name, value] of Object.entries(known)) document.getElementById(name).value = value;
}

function signUp(workspace, methods) {
  head(`Join ${workspace}`);
  const password = {
    name: "password",
    label: "Password",
    type: "password",
    autocomplete: "new-password",
    minlength: "10",
    hint: "At least 10 characters.",
  };
  showForm({
    fields: [{ name: "name", label: "Your name", autocomplete: "name" }, EMAIL, password],
    button: "Create an account and join",
    other: { label: "I have an account", open: () => signIn(workspace, methods) },
    submit: async (values) => {
      const answer = await call("POST", "/auth/sign-up", { ...values, inviteCode: code });
      if (!answer.ok) return answer;
      await endSession(answer.body.accessToken);
      return joined(workspace);
    },
  });
}

/** Only an application signs in at a provider, which leads back to that and not to this page. */
function joiningElsewhere({ oidc }, lead) {
  const providers = oidc.map(({ name }) => name).join(" or ");
  return [
    make("p", {}, `${lead} with ${providers} in your application, and join there with this code:`),
    make("p", {}, make("code", {}, code)),
  ];
}

/** What is offered where the server cannot say: it refuses what is not allowed. */
const USUAL_METHODS = { password: true, signUp: "open", oidc: [] };

async function invite() {
  const preview = await call("GET", `/invites/${encodeURIComponent(code)}`);
  if (!preview.ok) {
    head("The invitation cannot be used");
    say(
      preview.status === 404 ? "It has expired, or was used or revoked. Ask for a new one." : reasonOf(preview),
      true,
    );
    return;
  }
  const { workspaceName, role } = preview.body;
  const answer = await call("GET", "/auth/methods");
  const methods = answer.ok ? answer.body : USUAL_METHODS;
  say(`You are invited to the workspace ${workspaceName} as ${role}.`);
  if (methods.password) {
    signIn(workspaceName, methods);
  } else {
    head(`Join ${workspaceName}`);
    content.replaceChildren(...joiningElsewhere(methods, "Sign in"));
  }
}

const PAGES = {
  "account/reset": () => reset(),
  "account/confirm": confirm,
  "account/unsubscribe": unsubscribe,
  invite,
};

if (page !== "invite" && token === "") {
  head("The link is not complete");
  say("Open it from the mail again.", true);
} else {
  await PAGES[page]?.();
}
