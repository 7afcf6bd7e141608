import { Copy } from "lucide-react";
import { copyText } from "../ui/copy.tsx";
import type { MenuItem } from "../ui/menu.tsx";

/**
 * An entry of a menu that copies a text.
 * @param words what its label names, such as `the id`
 * @param what the name of the text once it is copied, such as `the user's id`
 */
export function copyItem(words: string, text: string, what = words): MenuItem {
  return { label: `Copy ${words}`, icon: Copy, onSelect: () => void copyText(text, what) };
}
