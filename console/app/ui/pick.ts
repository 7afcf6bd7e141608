/** The picked ones of many options. If a whole group is picked, its own value replaces those of its options. Pure. */

export type PickOption = {
  readonly value: string;
  readonly label: string;
  /** A sentence below the label. */
  readonly detail?: string | undefined;
  /** Beside it, such as its name for programs. */
  readonly code?: string | undefined;
};

/** Options with a heading. The value of the group stands for all of them, also those of later releases. */
export type PickGroup = {
  readonly value: string;
  readonly label: string;
  readonly options: readonly PickOption[];
};

/** The picked values after a group was picked, or dropped. */
export function toggleGroup(picked: readonly string[], { value, options }: PickGroup): readonly string[] {
  const own = new Set([value, ...options.map((option) => option.value)]);
  const others = picked.filter((one) => !own.has(one));
  return picked.includes(value) ? others : [...others, value];
}

/** The picked values after one option was picked, or dropped. A group that loses one keeps its other options. */
export function toggleOption(picked: readonly string[], value: string, group?: PickGroup): readonly string[] {
  if (group !== undefined && picked.includes(group.value)) {
    const others = group.options.map((option) => option.value).filter((one) => one !== value);
    return [...picked.filter((one) => one !== group.value), ...others];
  }
  return picked.includes(value) ? picked.filter((one) => one !== value) : [...picked, value];
}

/** The groups with the options that have all words of a text; the groups without one are left out. */
export function findOptions(groups: readonly PickGroup[], text: string): readonly PickGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return groups;
  return groups.flatMap((group) => {
    const options = group.options.filter(({ value, label, detail = "" }) => {
      const searched = `${group.label} ${label} ${value} ${detail}`.toLowerCase();
      return words.every((word) => searched.includes(word));
    });
    return options.length === 0 ? [] : [{ ...group, options }];
  });
}
