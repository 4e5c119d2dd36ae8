import { type ComponentType, useEffect, useState } from "react";

/**
 * A component whose code is loaded when it is first shown, or before by `preload`. Until then `Instead` is shown, if there is one. It
 * does without Suspense, for which React would hold the component back for 300 ms although it came.
 */
export function later<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  Instead?: ComponentType<Props>,
) {
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
    useEffect(() => void preload().then(() => setLoaded(true)), []);
    const Shown = Loaded ?? Instead;
    return Shown === undefined ? null : <Shown {...props} />;
  }
  return Object.assign(Later, { preload });
}
