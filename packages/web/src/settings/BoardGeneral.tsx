import { useMutation } from "@tanstack/react-query";
import { useBoardState } from "../board/context.js";
import { client } from "../client.js";
import { Field } from "../parts/Field.js";
import { NAME_MAX } from "../parts/limits.js";
import { SaveForm } from "../parts/SaveForm.js";
import { Section } from "../parts/Section.js";
import { boardsChanged } from "../session/boards.js";
import { texts } from "../texts/later.js";
import { BoardTags } from "./BoardTags.js";

const valuesOf = (form: FormData) => ({
  name: String(form.get("name")).trim(),
  slug: String(form.get("slug")).trim(),
});

/** The name, the slug and the tags of a board. */
export function BoardGeneral() {
  const text = texts.settings.board;
  const boardPublicId = useBoardState((board) => board.publicId);
  const name = useBoardState((board) => board.name);
  const slug = useBoardState((board) => board.slug);
  const isArchived = useBoardState((board) => board.isArchived);
  const save = useMutation({
    mutationFn: (fields: ReturnType<typeof valuesOf>) => client.board.update.mutate({ boardPublicId, ...fields }),
    onSuccess: boardsChanged,
  });
  return (
    <>
      <Section heading={texts.settings.boardSections.general}>
        {isArchived ? (
          <p>{text.isArchived}</p>
        ) : (
          <SaveForm read={valuesOf} save={save}>
            <Field label={text.name} name="name" defaultValue={name} maxLength={NAME_MAX} required autoComplete="off" />
            <Field
              label={text.slug}
              name="slug"
              defaultValue={slug}
              maxLength={60}
              required
              autoComplete="off"
              hint={text.slugHint}
            />
          </SaveForm>
        )}
      </Section>
      <BoardTags />
    </>
  );
}
