/** Leaves one citation mark after a paragraph or a list whose sentences all cite the same places. */

const MARK = ".mark";

/** Removes a mark when the next one, in the same block or in the list that the block leads to, is the same. */
export function shareMarks(fragment: ParentNode): void {
  for (const block of fragment.children) {
    if (!block.matches("p, ul, ol, blockquote")) continue;
    const groups = [...groupsIn(block), ...leadIn(block)];
    groups.forEach((group, index) => {
      if (numbersOf(group) === numbersOf(groups[index + 1] ?? [])) for (const mark of group) removeMark(mark);
    });
  }
}

/** Marks that stand side by side, such as `[1] [2]`, are one group. */
function groupsIn(block: Element): HTMLElement[][] {
  const groups: HTMLElement[][] = [];
  for (const mark of block.querySelectorAll<HTMLElement>(MARK)) {
    const last = groups.at(-1);
    if (last && follows(last.at(-1)!, mark)) last.push(mark);
    else groups.push([mark]);
  }
  return groups;
}

function follows(before: Node, mark: Node): boolean {
  const between = before.nextSibling;
  return between === mark || (between?.nextSibling === mark && !between.textContent?.trim());
}

/** The first marks of the list that a sentence such as `There are four steps:` leads to. */
function leadIn(block: Element): HTMLElement[][] {
  const next = block.nextElementSibling;
  const leads = block.matches("p") && /:[\s\d]*$/.test(block.textContent ?? "") && next?.matches("ul, ol");
  return leads ? groupsIn(next!).slice(0, 1) : [];
}

function numbersOf(group: readonly HTMLElement[]): string {
  return group.map(({ textContent }) => textContent).join();
}

/** With the blank before it. */
function removeMark(mark: HTMLElement): void {
  const before = mark.previousSibling;
  if (before instanceof Text) before.data = before.data.replace(/\s$/, "");
  mark.remove();
}
