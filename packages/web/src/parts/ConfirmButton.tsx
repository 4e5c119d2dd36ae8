import { AlertDialog } from "@base-ui/react/alert-dialog";
import { type ReactElement, useState } from "react";
import { texts } from "../texts/later.js";
import { Button } from "./Button.js";
import { Field } from "./Field.js";
import "../styles/modal.css";
import { Reason } from "./Reason.js";

interface Props {
  className: string;
  /** The name of the button, if its text does not say what it is about. */
  name?: string;
  heading: string;
  text: string;
  /** The button that does it. */
  action: string;
  /** The text that must be typed before it can be done: the name of something that others would miss. */
  typed?: string;
  run: () => Promise<unknown>;
  children: string | ReactElement | ReactElement[];
}

/** A button for what cannot be undone: it asks before it runs, and says why it failed. */
export function ConfirmButton({ className, name, heading, text, action, typed, run, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [written, setWritten] = useState("");
  const isHeld = typed !== undefined && written.trim() !== typed.trim();
  const turn = (next: boolean) => {
    setOpen(next);
    setError(null);
    setWritten("");
  };
  const confirm = () => {
    setRunning(true);
    run()
      .then(() => turn(false), setError)
      .finally(() => setRunning(false));
  };
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={turn}>
      <AlertDialog.Trigger className={className} aria-label={name}>
        {children}
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="scrim" forceRender />
        <AlertDialog.Popup className="alert modal">
          <AlertDialog.Title>{heading}</AlertDialog.Title>
          <AlertDialog.Description>{text}</AlertDialog.Description>
          {typed !== undefined && (
            <Field
              label={texts.typeName(typed)}
              value={written}
              autoComplete="off"
              onChange={({ currentTarget }) => setWritten(currentTarget.value)}
            />
          )}
          <Reason of={error} />
          <div className="actions">
            <AlertDialog.Close className="btn l">{texts.cancel}</AlertDialog.Close>
            <Button className="btn danger solid l" isOff={isRunning || isHeld} onClick={confirm}>
              {action}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
