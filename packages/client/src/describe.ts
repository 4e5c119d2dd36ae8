// Events as sentences, for activities, notifications and announcements to screen readers.

import { type EventTexts, englishTexts, type NamedKind, type SentenceVariant } from "./eventTexts.js";
import type { Event, EventOf, EventType } from "./types.js";

/** A part of a sentence. The texts of all parts in order, with nothing between them, are the sentence. */
export interface SentencePart {
  /** `text`: words; `value`: what a field was or became; `person`: the account of the actor; else the kind of the thing that is named. */
  kind: "text" | "value" | "person" | NamedKind;
  text: string;
  /** The identifier of what is named, for a link. Null for words and values, and for the service as the actor. */
  publicId: string | null;
}

export interface DescribeOptions {
  /** The present name of a thing or a member, if you know it. Otherwise the sentence has the name in the event, or a word such as "a card". */
  nameOf: (kind: NamedKind, publicId: string) => string | null | undefined;
  /** The words of the language, English by default. */
  texts?: EventTexts;
}

/** A thing that a sentence names, with its name in the event. */
interface Named {
  kind: NamedKind;
  publicId: string;
  name: string | undefined;
}

/** The parts of a sentence by their names in texts: things, and values as words. */
type Parts = Partial<Record<NamedKind | "from" | "to" | "fields", Named | string>>;

interface Sentence {
  /** Undefined for the sentence of the type. */
  variant?: SentenceVariant;
  parts?: Parts;
}

type Description<Type extends EventType> = (data: EventOf<Type>["data"], texts: EventTexts, event: Event) => Sentence;

const named = (kind: NamedKind, publicId: string, name?: string): Named => ({ kind, publicId, name });
const onList = ({ listPublicId }: { listPublicId: string }) => named("list", listPublicId);

/** The word for a value; the value itself if a newer service has it. */
const word = (words: Readonly<Record<string, string>>, value: string): string => words[value] ?? value;

const isMidnight = (date: string | null) => date?.endsWith("T00:00:00.000Z") ?? true;

/** A due date as words: a day is the same date everywhere, an instant is in the time zone of the reader. */
const dateText = (date: string, hasTime: boolean, { locale, datesLocale = locale }: EventTexts): string =>
  new Intl.DateTimeFormat(datesLocale, {
    calendar: "gregory",
    dateStyle: "medium",
    ...(hasTime ? { timeStyle: "short" } : { timeZone: "UTC" }),
  }).format(new Date(date));

/** An edit of one field has a sentence of its own if the texts have one; other edits list their fields. */
function editOfCard({ changes }: EventOf<"card.updated">["data"], texts: EventTexts): Sentence {
  if (changes === undefined) return {};
  const { dueHasTime, ...others } = changes;
  const { title, dueDate, priority } = others;
  if (Object.keys(others).length === 1) {
    if (title !== undefined) return {};
    if (priority !== undefined) return { variant: "card.priority", parts: { to: word(texts.priorities, priority.to) } };
    if (dueDate?.to === null) return { variant: "card.due.removed" };
    if (dueDate !== undefined) {
      const hasTime = dueHasTime?.to ?? !(isMidnight(dueDate.from) && isMidnight(dueDate.to));
      return { variant: "card.due", parts: { to: dateText(dueDate.to, hasTime, texts) } };
    }
  }
  const fields = Object.keys(changes).map((name) => word(texts.fields, name));
  return { variant: "card.fields", parts: { fields: new Intl.ListFormat(texts.locale).format(new Set(fields)) } };
}

/** A card moves within a list, to another list, or between boards, each of which has an event of its own. */
function moveOfCard(
  { from, to }: EventOf<"card.moved">["data"],
  _texts: EventTexts,
  { boardPublicId, cardPublicId }: Event,
): Sentence {
  if (cardPublicId === null) {
    const board = to?.boardPublicId;
    return board === undefined
      ? { variant: "card.moved.awayUnseen" }
      : { variant: "card.moved.away", parts: { to: named("board", board) } };
  }
  const parts = to && { to: onList(to) };
  if (from === undefined) return { variant: "card.moved.hereUnseen", ...(parts && { parts }) };
  const isFromElsewhere = from.boardPublicId !== undefined && from.boardPublicId !== boardPublicId;
  if (isFromElsewhere)
    return { variant: "card.moved.here", parts: { ...parts, from: named("board", from.boardPublicId ?? "") } };
  if (from.listPublicId === to?.listPublicId) return { variant: "card.moved.within", ...(parts && { parts }) };
  return { parts: { ...parts, from: onList(from) } };
}

/** The sentences that say more than which thing was created, renamed, changed or deleted. */
const DESCRIPTIONS: { [Type in EventType]?: Description<Type> } = {
  "member.removed": ({ mergedInto }) => (mergedInto === undefined ? {} : { variant: "member.merged" }),
  "member.role.changed": ({ to }, texts) => ({ parts: { to: word(texts.roles, to) } }),
  "meeting.saved": ({ meeting }) => (meeting === undefined ? {} : { variant: "meeting.created" }),
  "board.created": ({ copiedFrom }) =>
    copiedFrom === undefined ? {} : { variant: "board.copied", parts: { from: named("board", copiedFrom) } },
  "board.updated": ({ changes }, texts) =>
    changes?.name !== undefined || changes?.visibility === undefined
      ? {}
      : { variant: "board.visibility", parts: { to: word(texts.visibilities, changes.visibility.to) } },
  "card.created": ({ card, to }) =>
    to === undefined
      ? { variant: "card.created.archived" }
      : { parts: { to: named("list", to.listPublicId, card?.list?.name) } },
  "card.updated": editOfCard,
  "card.moved": moveOfCard,
  "card.unarchived": ({ to }) => ({ parts: { to: onList(to) } }),
  "checklist.item.updated": ({ changes }) =>
    changes?.title === undefined && changes?.index !== undefined ? { variant: "item.moved" } : {},
};

/** The thing that an event is about: `item` for `checklist.item.created`. */
const subjectOf = (type: EventType): string => type.split(".").at(-2) ?? "";

type Fields = { readonly [field: string]: unknown };

const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? { ...value } : {});
const nameIn = ({ name, title }: Fields) => [name, title].find((text) => typeof text === "string");

/** The things that an event names by their identifiers, with the names that they have in the event. */
function thingsIn({ type, data, ...event }: Event, { unnamed }: EventTexts): Parts {
  const fields: Fields = { ...event, ...data };
  const parts: Parts = {};
  for (const kind of Object.keys(unnamed) as NamedKind[]) {
    const publicId = fields[`${kind}PublicId`];
    if (typeof publicId !== "string") continue;
    const { status, ...thing } = fieldsOf(fields[kind]);
    const name = nameIn(thing) ?? (kind === subjectOf(type) ? nameIn(fields) : undefined);
    // Somebody who has not accepted the invitation has no name yet.
    parts[kind] = named(kind, publicId, status === "invited" ? undefined : name);
  }
  return parts;
}

/** The sentence of an event that changed a name, if there is one. */
function renamingIn({ type, data }: Event, { sentences }: EventTexts): Sentence {
  const { name, title } = fieldsOf(fieldsOf(data).changes);
  const { from, to } = fieldsOf(name ?? title);
  const variant = `${subjectOf(type)}.renamed`;
  const isRenamed = typeof from === "string" && typeof to === "string" && Object.hasOwn(sentences, variant);
  return isRenamed ? { variant: variant as SentenceVariant, parts: { from, to } } : {};
}

/** The description of an event by its own type, if it has one. */
const descriptionOf = ({ type }: Event): Description<EventType> | undefined =>
  Object.hasOwn(DESCRIPTIONS, type) ? (DESCRIPTIONS[type] as Description<EventType>) : undefined;

/**
 * Describes an event in a sentence, such as "Ada moved Write the first program from Ideas to Done". Its parts keep names apart from
 * words, so that a front end can make links of them. An unknown type has a sentence without details.
 */
export function describe(event: Event, { nameOf, texts = englishTexts }: DescribeOptions): SentencePart[] {
  const { type, actor } = event;
  const own = descriptionOf(event)?.(event.data, texts, event) ?? {};
  const sentence: Sentence = Object.hasOwn(texts.sentences, type)
    ? { ...renamingIn(event, texts), ...own }
    : { variant: "other" };
  const { variant = type, parts } = sentence;
  const all: Parts = { ...thingsIn(event, texts), ...parts };
  const partOf = (name: string): SentencePart => {
    if (name === "actor") {
      const [kind, publicId] = actor === null ? (["text", null] as const) : (["person", actor.publicId] as const);
      return { kind, text: actor?.name ?? texts.service, publicId };
    }
    const part = all[name as keyof Parts];
    if (part === undefined) return { kind: "text", text: word(texts.unnamed, name), publicId: null };
    if (typeof part === "string") return { kind: "value", text: part, publicId: null };
    const { kind, publicId } = part;
    return {
      kind,
      text: nameOf(kind, publicId) ?? part.name ?? word(texts.unnamed, kind === "list" ? name : kind),
      publicId,
    };
  };
  return texts.sentences[variant].split(/\{(\w+)\}/).flatMap((text, index): SentencePart[] => {
    if (index % 2 === 1) return [partOf(text)];
    return text === "" ? [] : [{ kind: "text", text, publicId: null }];
  });
}
