import { Copy } from "lucide-react";
import { copyText } from "../ui/copy.tsx";
import type { MenuItem } from "../ui/menu.tsx";

/** An entry of a menu that copies a text. @param what its name, such as `the id` */
export function copyItem(what: string, text: string): MenuItem {
  return { label: `Copy ${what}`, icon: Copy, onSelect: () => void copyText(text, what) };
}
