import { Trash2 } from "lucide-react";
import type { MenuAction } from "./confirm.tsx";

/** The entry of a menu that deletes what the menu is of. It is apart from the others. */
export function deleteItem(
  write: NonNullable<MenuAction["write"]>,
  disabledReason: string | null = null,
): MenuAction {
  return { label: "Delete…", icon: Trash2, isDanger: true, group: "", disabledReason, write };
}
