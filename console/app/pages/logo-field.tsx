import { useId, useState } from "react";
import { Button } from "../ui/button.tsx";
import css from "./branding.module.css";

export type ChosenLogo = { readonly base64: string; readonly bitmap: ImageBitmap };

const BYTES_MAX = 65_536;
const SIDE_MAX = 1_024;

/** A file that is read by the browser first, so that it is previewed and its faults are shown at once. */
export function LogoField({
  hasLogo,
  fault,
  onChoose,
}: {
  readonly hasLogo: boolean;
  readonly fault: string | null;
  /** Null: no logo. */
  readonly onChoose: (logo: ChosenLogo | null) => void;
}) {
  const id = useId();
  const [fileFault, setFileFault] = useState<string | null>(null);
  const shownFault = fileFault ?? fault;
  const take = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    if (file === undefined) return;
    const read = await readLogo(file);
    // The same file may be chosen again.
    input.value = "";
    setFileFault(typeof read === "string" ? read : null);
    if (typeof read !== "string") onChoose(read);
  };
  return (
    <div className={css["logo"]}>
      <label htmlFor={id}>
        Logo <small>(optional)</small>
      </label>
      <div className={css["choose"]}>
        <input
          id={id}
          type="file"
          accept="image/png,image/jpeg,image/webp"
          aria-describedby={`${id}-hint${shownFault === null ? "" : ` ${id}-fault`}`}
          aria-invalid={shownFault === null ? undefined : true}
          onChange={({ target }) => void take(target)}
        />
        {hasLogo ? (
          <Button
            size="small"
            onClick={() => {
              setFileFault(null);
              onChoose(null);
            }}
          >
            Remove the logo
          </Button>
        ) : null}
      </div>
      <p id={`${id}-hint`} className={css["hint"]}>
        PNG, JPEG or WebP of at most 64 KiB, shown 28 pixels high on your colour.
      </p>
      {shownFault === null ? null : (
        <p id={`${id}-fault`} role="alert" className={css["fault"]}>
          {shownFault}
        </p>
      )}
    </div>
  );
}

/** @returns why it cannot be used */
async function readLogo(file: File): Promise<ChosenLogo | string> {
  if (file.size > BYTES_MAX)
    return `It has ${Math.ceil(file.size / 1_024)} KiB. Make it smaller than 64 KiB.`;
  if (!["image/png", "image/jpeg", "image/webp"].includes(file.type))
    return "Choose a PNG, JPEG or WebP image.";
  try {
    const bitmap = await createImageBitmap(file);
    if (bitmap.width > SIDE_MAX || bitmap.height > SIDE_MAX)
      return `It has ${bitmap.width} × ${bitmap.height} pixels. Make it 1,024 × 1,024 at most.`;
    const bytes = new Uint8Array(await file.arrayBuffer());
    return { base64: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")), bitmap };
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return "The file is not an image that can be read.";
  }
}
