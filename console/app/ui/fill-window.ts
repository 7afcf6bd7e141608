/**
 * Keeps the focus inside an element that fills the window, by making all that is behind it inert.
 * @returns what ends that
 */
export function fillWindow(element: HTMLElement): () => void {
  const hidden: HTMLElement[] = [];
  for (
    let at: HTMLElement = element;
    at !== document.body && at.parentElement !== null;
    at = at.parentElement
  )
    for (const sibling of at.parentElement.children)
      if (sibling !== at && sibling instanceof HTMLElement && !sibling.inert) hidden.push(sibling);
  for (const one of hidden) one.inert = true;
  return () => {
    for (const one of hidden) one.inert = false;
  };
}
