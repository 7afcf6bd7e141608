import { useId, useState } from "react";
import { type Control, TextArea } from "../../ui/field.tsx";
import css from "./variables.module.css";

/** A text field that also takes a file: dropped on it, or chosen. */
export function DropArea(control: Control<string>) {
  const [isOver, setOver] = useState(false);
  const id = useId();
  const take = async (file: File | undefined) => {
    if (file !== undefined) control.onChange(await file.text());
  };
  return (
    <div
      className={css["drop"]}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        const [file] = event.dataTransfer.files;
        setOver(false);
        if (file === undefined) return;
        event.preventDefault();
        void take(file);
      }}
    >
      <TextArea
        label="Variables"
        isCode
        rows={10}
        placeholder={'LOG_LEVEL=info\nGREETING="Good morning"'}
        hint="NAME=value on each line, as in a .env file. Paste it, or drop the file here."
        {...control}
      />
      <p>
        <label htmlFor={id}>Or choose the file: </label>
        <input id={id} type="file" onChange={({ target }) => void take(target.files?.[0])} />
      </p>
    </div>
  );
}
