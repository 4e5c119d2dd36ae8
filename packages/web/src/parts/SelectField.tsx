interface Props {
  label: string;
  name: string;
  /** The value at first. */
  value?: string;
  options: readonly (readonly [value: string, text: string])[];
}

/** One of several values in a form, with its label above. */
export const SelectField = ({ label, name, value, options }: Props) => (
  <label className="field">
    <span className="legend">{label}</span>
    <select className="input" name={name} defaultValue={value}>
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  </label>
);
