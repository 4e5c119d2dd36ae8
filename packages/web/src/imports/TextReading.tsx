import { Choice } from "../parts/Choice.js";
import { importTexts } from "../texts/importTexts.js";
import type { Preview } from "./columns.js";
import type { Encoding } from "./encodings.js";

/** The choices of how a table is read, where a guess was wrong. */
export interface Reading {
  encoding?: Encoding;
  delimiter?: Preview["delimiter"];
  hasHeader?: boolean;
}

const isEncoding = (label: string): label is Encoding => label in importTexts.encodings;

interface Props {
  encoding: Encoding;
  /** Unknown while the file cannot be read and none was chosen. */
  delimiter: Preview["delimiter"] | undefined;
  read: (reading: Reading) => void;
}

/** The choices of the encoding and of the separator of cells. */
export function TextReading({ encoding, delimiter, read }: Props) {
  const text = importTexts;
  return (
    <>
      <Choice
        name={text.encoding}
        value={encoding}
        options={Object.entries(text.encodings).flatMap(([label, name]) =>
          isEncoding(label) ? [[label, name] as const] : [],
        )}
        choose={(encoding) => read({ encoding })}
      />
      {delimiter !== undefined && (
        <Choice
          name={text.delimiter}
          value={delimiter}
          options={text.delimiters}
          choose={(delimiter) => read({ delimiter })}
        />
      )}
    </>
  );
}
