import { Button } from "./Button.js";

interface Props {
  /** The mutation, which runs once at a time. */
  of: { isPending: boolean };
  run: () => void;
  className?: string;
  /** The name of the button, if its text does not say what it is about. */
  name?: string;
  children: string;
}

/** A button that runs a mutation. */
export const RunButton = ({ of: { isPending }, run, className = "btn", name, children }: Props) => (
  <Button className={className} aria-label={name} aria-busy={isPending} isOff={isPending} onClick={run}>
    {children}
  </Button>
);
