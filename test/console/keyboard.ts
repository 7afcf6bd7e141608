/** A user with a keyboard and no pointer: reaches a control by Tab, sees that it has the focus, and uses it. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";

/** More Tabs than a user would press to reach a control. */
const MOST_TABS = 200;
/** The width of the outline around the focused element, in CSS pixels. */
const OUTLINE = "parseFloat(getComputedStyle(document.activeElement).outlineWidth)";

/** Goes to a control by Tab. Fails if Tab never comes there, or if nothing shows that it did. */
export async function reach(control: Locator): Promise<void> {
  const page = control.page();
  await control.waitFor();
  let tabs = 0;
  while (!(await isFocused(control))) {
    tabs += 1;
    assert.ok(tabs <= MOST_TABS, `${String(control)} is not reached by Tab`);
    await page.keyboard.press("Tab");
  }
  assert.ok((await page.evaluate<number>(OUTLINE)) >= 2, `${String(control)} shows no focus`);
}

async function isFocused(control: Locator): Promise<boolean> {
  return (await control.and(control.page().locator(":focus")).count()) > 0;
}

/** Uses a button or a link. */
export async function press(control: Locator): Promise<void> {
  // A button ignores keys while its work is under way, although its effect may be seen already.
  await control.and(control.page().locator(":not([aria-busy=true])")).waitFor({ state: "attached" });
  await reach(control);
  // A page that has just come may take the focus to its heading meanwhile.
  await control.press("Enter");
}

/** Ticks or clears a checkbox. */
export async function tick(control: Locator): Promise<void> {
  await reach(control);
  await control.page().keyboard.press("Space");
}

/** Types into a field, in place of what is there. */
export async function type(control: Locator, text: string): Promise<void> {
  await reach(control);
  await control.page().keyboard.press("Control+A");
  await control.page().keyboard.type(text);
}

/** The option of an open list that has the focus. */
const FOCUSED_OPTION = "document.activeElement.tagName === 'OPTION' ? document.activeElement.value : null";

/** Chooses in a list, which the first key opens. @param value of the option */
export async function choose(control: Locator, value: string): Promise<void> {
  await reach(control);
  const page = control.page();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Home");
  const options = await control.locator("option").count();
  for (let at = 0; (await page.evaluate<string | null>(FOCUSED_OPTION)) !== value; at += 1) {
    assert.ok(at < options, `${String(control)} has no ${value}`);
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
  assert.equal(await control.inputValue(), value);
}

/** Closes the layer over the page. Fails unless the focus then returns to the opener. @param opener what opened it */
export async function leave(page: Page, opener: Locator): Promise<void> {
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.ok(await isFocused(opener), `the focus returns to ${String(opener)}`);
}

/** Chooses in a menu of actions. @param menu the button that opens it; @param entry the name of the action */
export async function chooseAction(menu: Locator, entry: string): Promise<void> {
  await press(menu);
  const item = menu.page().getByRole("menuitem", { name: entry });
  await item.waitFor();
  for (let at = 0; !(await isFocused(item)); at += 1) {
    assert.ok(at < MOST_TABS, `${entry} is not reached by arrows`);
    await menu.page().keyboard.press("ArrowDown");
  }
  await menu.page().keyboard.press("Enter");
}
