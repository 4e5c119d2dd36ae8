import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { client } from "../client.js";
import { boardsChanged, type Workspace } from "../session/boards.js";
import { texts } from "../texts/later.js";
import * as styles from "./Home.module.css";
import { NameForm } from "./NameForm.js";

/** Makes an empty board with three lists, and leads to it. */
export function NewBoard({ workspace, children }: { workspace: Workspace; children: ReactNode }) {
  const [, navigate] = useLocation();
  const create = useMutation({
    mutationFn: (name: string) =>
      client.board.create.mutate({ workspacePublicId: workspace.publicId, name, lists: texts.home.lists }),
    onSuccess: ({ publicId }) => {
      void boardsChanged();
      navigate(`/boards/${publicId}`);
    },
  });
  return (
    <NameForm
      className={`${styles.tile} ${styles.isNew}`}
      label={texts.home.nameOfBoard}
      name={texts.home.newBoardIn(workspace.name)}
      create={create}
    >
      {children}
    </NameForm>
  );
}
