import { Component, Fragment, type ReactNode } from "react";
import { t } from "../texts/index.js";
import { ReplacedNode } from "./replacedNodes.js";

interface Props {
  /** Takes the place of the children if they fail. */
  fallback: ReactNode;
  /** The address. At another one, what failed is tried again. */
  at?: string;
  children: ReactNode;
}

interface State {
  hasFailed: boolean;
  /** The key of the children: another one mounts them anew. */
  mounted: number;
  at: string | undefined;
}

/** Keeps the rest of the page while a part of it fails to render. A part whose nodes were replaced is mounted anew. */
export class Boundary extends Component<Props, State> {
  override state: State = { hasFailed: false, mounted: 0, at: this.props.at };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return error instanceof ReplacedNode ? { mounted: error.id } : { hasFailed: true };
  }

  static getDerivedStateFromProps({ at }: Props, state: State): Partial<State> | null {
    return at === state.at ? null : { at, hasFailed: false };
  }

  override render(): ReactNode {
    const { hasFailed, mounted } = this.state;
    return hasFailed ? this.props.fallback : <Fragment key={mounted}>{this.props.children}</Fragment>;
  }
}

/** Loads the page anew. What was typed and changed is stored. */
export const Reload = () => (
  <button type="button" className="btn" onClick={() => location.reload()}>
    {t.failures.reload}
  </button>
);

/** In place of a list, or of what a dialog holds. */
export const FailedPart = ({ heading }: { heading: string }) => (
  <div className="empty" role="alert">
    <b>{heading}</b>
    <p>{t.failures.kept}</p>
    <Reload />
  </div>
);
