import { FileSpreadsheet } from "lucide";
import { Choice } from "../parts/Choice.js";
import { Icon } from "../parts/Icon.js";
import { RowText } from "../parts/RowText.js";
import { texts } from "../texts/later.js";
import { type Preview, widthOf } from "./columns.js";

interface Props {
  name: string;
  first: Preview;
  isLocked: boolean;
  read: (reading: { delimiter?: Preview["delimiter"]; hasHeader?: boolean }) => void;
  again: () => void;
}

/** The file, and how its text was read. */
export function TableReading({ name, first, isLocked, read, again }: Props) {
  const text = texts.imports;
  return (
    <div className="rows">
      <div className="line tall">
        <Icon of={FileSpreadsheet} />
        <RowText text={name} hint={text.size(first.rowCount, widthOf(first))} />
        {!isLocked && (
          <>
            <Choice
              name={text.delimiter}
              value={first.delimiter}
              options={text.delimiters}
              choose={(delimiter) => read({ delimiter })}
            />
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
