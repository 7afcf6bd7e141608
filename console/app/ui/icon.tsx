/** Icons: those of Lucide, 16 pixels, in the colour of the text beside them. */
import type { LucideIcon } from "lucide-react";

/** A picture beside words that say the same. @param props.of such as `Rocket` of `lucide-react` */
export function Icon({ of: Picture, size = 16 }: { readonly of: LucideIcon; readonly size?: number }) {
  return <Picture size={size} strokeWidth={1.75} aria-hidden="true" focusable="false" />;
}
