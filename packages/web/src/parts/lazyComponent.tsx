import { type ComponentType, type ReactElement, useEffect, useState } from "react";
import { t } from "../texts/index.js";
import { Boundary, Reload } from "./Boundary.js";

/** Says that a part of the page is missing, and offers the next step. */
const Failed = ({ text, children }: { text: string; children: ReactElement }) => (
  <div className="toasts">
    <div className="toast bad" role="alert">
      <span className="grow">{text}</span>
      {children}
    </div>
  </div>
);

const FAILED = (
  <Failed text={t.failures.partShown}>
    <Reload />
  </Failed>
);

/** Runs what the page does not need for what it shows now, once that was painted. */
export function afterPaint(run: () => void): void {
  requestAnimationFrame(() => setTimeout(run));
}

/** Loads parts of the page that open at once, also offline, after what it shows now was painted. */
export function preloadAfterPaint(...parts: readonly { preload: () => Promise<unknown> }[]): void {
  afterPaint(() => {
    for (const part of parts) void part.preload();
  });
}

/** A component whose code can be loaded before it is shown. */
export type LazyComponent<Props extends object> = ComponentType<Props> & { preload: () => Promise<void> };

/**
 * A component whose code is loaded when it is first shown, or before by `preload`. It does without Suspense, for which React would hold
 * the component back for 300 ms although it came. If it fails to render, a toast says so; a page has a boundary around it.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  isPage = false,
): LazyComponent<Props> {
  let Loaded: ComponentType<Props> | null = null;
  let loading: Promise<void> | null = null;
  const preload = () => {
    loading ??= load().then(
      (module) => {
        Loaded = module.default;
      },
      () => {
        // The next one to be shown tries again.
        loading = null;
      },
    );
    return loading;
  };
  function Later(props: Props) {
    const [, setLoaded] = useState(Loaded !== null);
    const [hasFailed, setFailed] = useState(false);
    const show = async () => {
      await preload();
      setLoaded(Loaded !== null);
      setFailed(Loaded === null);
      return Loaded !== null;
    };
    useEffect(() => void show(), []);
    // After an upgrade the file is gone: the page of the new version has another one.
    const retry = async () => void ((await show()) || location.reload());
    if (hasFailed) {
      return (
        <Failed text={t.failures.part}>
          <button type="button" className="btn s" onClick={retry}>
            {t.retry}
          </button>
        </Failed>
      );
    }
    if (Loaded === null) return null;
    const shown = <Loaded {...props} />;
    return isPage ? shown : <Boundary fallback={FAILED}>{shown}</Boundary>;
  }
  return Object.assign(Later, { preload });
}
