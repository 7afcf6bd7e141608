/** A sentence in which names of settings and variables, such as `SLIPWAY_DATA_DIR`, are in the letters of code. */
export function Literals({ text }: { readonly text: string }) {
  return text.split(/\b([A-Z]{2,}_[A-Z\d_]+)\b/).map((part, index) =>
    // oxlint-disable-next-line react/no-array-index-key -- the parts of a sentence never move
    index % 2 === 0 ? part : <code key={index}>{part}</code>,
  );
}
