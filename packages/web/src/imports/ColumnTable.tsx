import { Choice } from "../parts/Choice.js";
import { Section } from "../parts/Section.js";
import { Table } from "../parts/Table.js";
import { importTexts } from "../texts/importTexts.js";
import { meanings as all, type Meaning, type Meanings, mayBeWider, type Preview, withMeaning } from "./columns.js";
import * as styles from "./Imports.module.css";

interface Props {
  first: Preview;
  names: readonly string[];
  meanings: Meanings;
  /** Whether all cards go to one board, so that no column can name others. */
  isOneBoard: boolean;
  set: (meanings: Meanings) => void;
}

/** The number of values of a column that are shown. */
const SAMPLES = 3;

/** The columns of a table with their first values, and what each becomes. */
export function ColumnTable({ first, names, meanings, isOneBoard, set }: Props) {
  const text = importTexts;
  const offered = isOneBoard ? all.filter((meaning) => meaning !== "board") : all;
  const options: readonly (readonly [Meaning | "", string])[] = [
    ["", text.leaveOut],
    ...offered.map((meaning) => [meaning, text.meanings[meaning]] as const),
  ];
  const used = meanings.filter((meaning) => meaning !== null).length;
  return (
    <Section heading={text.columns} count={text.used(used, names.length)}>
      <Table
        name={text.table}
        heads={[{ text: text.inFile }, { text: text.values, isWide: true }, { text: text.becomes }]}
      >
        {names.map((name, column) => (
          <tr key={column}>
            <td className={styles.columnName} dir="auto">
              {name}
            </td>
            <td className={`quiet wide ${styles.values}`} dir="auto">
              {first.rows
                .flatMap((row) => row[column]?.trim() || [])
                .slice(0, SAMPLES)
                .join("; ")}
            </td>
            <td>
              <Choice
                name={text.columnBecomes(name)}
                value={meanings[column] ?? ""}
                options={options}
                choose={(meaning) => set(withMeaning(meanings, column, meaning === "" ? null : meaning))}
              />
            </td>
          </tr>
        ))}
      </Table>
      {mayBeWider(first) && <p className="hint">{text.columnsMax(names.length)}</p>}
    </Section>
  );
}
