import assert from "node:assert/strict";
import { it } from "node:test";
import { mountSmallDisk } from "../../test/helpers/processes/small-disk.ts";
import { openState } from "./state.ts";

it("keeps nothing of a change for which its disk has no space, and continues when there is space", (t) => {
  const disk = mountSmallDisk(2);
  if (disk === null) return t.skip("needs the right to mount a file system");
  const state = openState(disk.folder);
  t.after(() => {
    state.close();
    disk.dispose();
  });
  const documents = state.collection<string>("documents");
  const putBoth = (): void =>
    state.atomically(() => {
      documents.put("small", "small");
      documents.put("large", "x".repeat(100_000));
    });
  disk.fill();
  assert.throws(putBoth, /full/);
  assert.equal(documents.size, 0);
  disk.clear();
  putBoth();
  assert.equal(documents.size, 2);
});
