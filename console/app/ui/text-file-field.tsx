import { type ComponentProps, useId, useRef, useState } from "react";
import { TextArea } from "./field.tsx";
import { readTextFile } from "./read-text-file.ts";
import css from "./text-file-field.module.css";

type Props = Omit<ComponentProps<typeof TextArea>, "isMasked"> & {
  /** Kinds of files that the chooser offers, such as `.csv,.txt`; any kind unless given. */
  readonly accept?: string;
};

/** A text field that also takes a text file: dropped on it, or chosen. The user sees the text before it is sent. */
export function TextFileField({ accept, fault, onChange, ...rest }: Props) {
  const [isOver, setOver] = useState(false);
  const [fileFault, setFileFault] = useState<string | null>(null);
  const [fileName, setFileName] = useState<string | null>(null);
  // The last file counts, also if an earlier one takes longer to read.
  const latest = useRef<File | null>(null);
  const id = useId();
  const change = (text: string, name: string | null) => {
    latest.current = null;
    setFileFault(null);
    setFileName(name);
    onChange(text);
  };
  const take = async (files: FileList) => {
    const [file] = files;
    if (file === undefined) return;
    latest.current = file;
    const read = files.length > 1 ? { fault: "Drop one file at a time." } : await readTextFile(file);
    if (latest.current !== file) return;
    if ("text" in read) change(read.text, file.name);
    else setFileFault(read.fault);
  };
  return (
    <div
      className={css["drop"]}
      data-over={isOver}
      onDragOver={(event) => {
        // Dropped text is left to the field.
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        void take(event.dataTransfer.files);
      }}
    >
      <TextArea {...rest} fault={fault} onChange={(text) => change(text, null)} />
      <p className={css["choose"]}>
        <label htmlFor={id}>Or choose a file:</label>
        <input
          id={id}
          type="file"
          accept={accept}
          aria-invalid={fileFault === null ? undefined : true}
          aria-describedby={`${id}-read`}
          onChange={({ target }) => {
            // The same file may be chosen again, after a correction.
            if (target.files !== null) void take(target.files).finally(() => (target.value = ""));
          }}
        />
      </p>
      <p id={`${id}-read`} className={css["read"]} data-bad={fileFault !== null} role="status">
        {fileFault ?? (fileName === null ? "" : `The text of ${fileName} is in the field.`)}
      </p>
    </div>
  );
}
