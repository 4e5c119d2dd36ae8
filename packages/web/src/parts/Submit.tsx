import type { UseMutationResult } from "@tanstack/react-query";
import { Button } from "./Button.js";
import { Reason } from "./Reason.js";

interface Props {
  of: Pick<UseMutationResult<unknown, Error, never>, "error" | "isPending">;
  /** Whether a field shows the failure. */
  isShown?: boolean;
  className?: string;
  children: string;
}

/** The button that sends a form, with the reason above it if that failed. */
export function Submit({ of: { error, isPending }, isShown = false, className = "btn primary l", children }: Props) {
  return (
    <>
      {!isShown && <Reason of={error} />}
      <Button className={className} type="submit" aria-busy={isPending} isOff={isPending}>
        {children}
      </Button>
    </>
  );
}
