/**
 * Changes a tree into the target tree and leaves equal nodes in place, so that nothing flickers while sentences
 * arrive, and neither focus nor selection is lost.
 */
export function morph(current: Node, target: Node): void {
  const oldChildren = [...current.childNodes];
  const newChildren = [...target.childNodes];
  newChildren.forEach((child, index) => morphChild(current, oldChildren[index], child));
  for (const child of oldChildren.slice(newChildren.length)) child.remove();
}

function morphChild(parent: Node, oldChild: ChildNode | undefined, newChild: ChildNode): void {
  if (!oldChild) {
    parent.appendChild(newChild);
    return;
  }
  if (oldChild.isEqualNode(newChild)) return;
  const isSameElement = oldChild.cloneNode().isEqualNode(newChild.cloneNode());
  if (isSameElement && oldChild.hasChildNodes()) morph(oldChild, newChild);
  else oldChild.replaceWith(newChild);
}
