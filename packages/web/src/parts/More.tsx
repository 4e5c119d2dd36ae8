import { Button } from "./Button.js";

interface Props {
  of: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
  className?: string;
  children: string;
}

/** The button that reads the next page of a list, while there is one. */
export const More = ({ of: list, className = "btn more", children }: Props) =>
  list.hasNextPage && (
    <Button className={className} isOff={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
      {children}
    </Button>
  );
