import { FileSpreadsheet } from "lucide";
import { Icon } from "../parts/Icon.js";
import { RowText } from "../parts/RowText.js";
import { importTexts } from "../texts/importTexts.js";
import { type Preview, widthOf } from "./columns.js";
import type { Encoding } from "./encodings.js";
import { type Reading, TextReading } from "./TextReading.js";

interface Props {
  name: string;
  encoding: Encoding;
  first: Preview;
  isLocked: boolean;
  read: (reading: Reading) => void;
  again: () => void;
}

/** The file, and how its text was read. */
export function TableReading({ name, encoding, first, isLocked, read, again }: Props) {
  const text = importTexts;
  return (
    <div className="rows">
      <div className="line tall">
        <Icon of={FileSpreadsheet} />
        <RowText text={name} hint={text.size(first.rowCount, widthOf(first))} />
        {!isLocked && (
          <>
            <TextReading encoding={encoding} delimiter={first.delimiter} read={read} />
            <label className="option">
              <input
                className="check"
                type="checkbox"
                checked={first.header.length > 0}
                onChange={({ currentTarget }) => read({ hasHeader: currentTarget.checked })}
              />
              <span>{text.hasHeader}</span>
            </label>
            <button className="btn" type="button" onClick={again}>
              {text.otherFile}
            </button>
          </>
        )}
      </div>
    </div>
  );
}
