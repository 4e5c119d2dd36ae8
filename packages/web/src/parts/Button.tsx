import type { ButtonHTMLAttributes, MouseEvent, ReactElement } from "react";

interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "disabled" | "children"> {
  /** Whether it does nothing at present: it is busy, or its press has left nothing to do. */
  isOff?: boolean;
  children: string | ReactElement | ReactElement[];
}

/** Keeps a press from its effect, also that of sending the form, by Enter in a field too. */
const ignore = (event: MouseEvent) => event.preventDefault();

/** A button. While it is off it keeps the focus, which browsers take away from what is disabled. */
export const Button = ({ isOff = false, type = "button", onClick, ...button }: Props) => (
  <button {...button} type={type} aria-disabled={isOff || undefined} onClick={isOff ? ignore : onClick} />
);
