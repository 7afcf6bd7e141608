/** Steps that undo a start; run in reverse order. */
export type Undo = {
  add(step: () => void | Promise<void>): void;
  run(): Promise<void>;
};

export function createUndo(): Undo {
  const steps: (() => void | Promise<void>)[] = [];
  return {
    add: (step) => void steps.push(step),
    async run() {
      for (const step of steps.splice(0).toReversed()) await step();
    },
  };
}
