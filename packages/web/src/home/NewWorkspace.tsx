import { useMutation } from "@tanstack/react-query";
import { Plus } from "lucide";
import { client } from "../client.js";
import { Icon } from "../parts/Icon.js";
import { boardsChanged } from "../session/boards.js";
import { texts } from "../texts/later.js";
import * as styles from "./Home.module.css";
import { NameForm } from "./NameForm.js";

/** Makes a workspace. */
export function NewWorkspace({ isFirst }: { isFirst: boolean }) {
  const create = useMutation({
    mutationFn: (name: string) => client.workspace.create.mutate({ name }),
    onSuccess: boardsChanged,
  });
  return (
    <div className={styles.start}>
      {isFirst && <p>{texts.home.none}</p>}
      <NameForm className="btn plain" label={texts.home.nameOfWorkspace} create={create}>
        <Icon of={Plus} />
        <span>{texts.home.newWorkspace}</span>
      </NameForm>
    </div>
  );
}
