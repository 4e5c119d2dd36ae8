import { Download } from "lucide";
import { useBoardState } from "../board/context.js";
import { Icon } from "../parts/Icon.js";
import { RowText } from "../parts/RowText.js";
import { Section } from "../parts/Section.js";
import { texts } from "../texts/later.js";

const FORMATS = ["json", "csv"] as const;

/** A board as a file, which the browser saves. */
export function BoardExport() {
  const text = texts.settings.export;
  const boardPublicId = useBoardState((board) => board.publicId);
  return (
    <Section heading={texts.settings.boardSections.export}>
      <ul className="rows">
        {FORMATS.map((format) => (
          <li className="line tall" key={format}>
            <RowText text={text[format].name} hint={text[format].hint} />
            <a className="btn" href={`/api/v1/boards/${boardPublicId}/export?format=${format}`} download>
              <Icon of={Download} />
              <span>{text[format].action}</span>
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
}
