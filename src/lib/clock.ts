/** The time, so that tests can set it. Decisions take `now` as a value; effects take a `Clock`. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };
