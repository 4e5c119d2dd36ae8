// A net below the rule that each text has an element of its own: translators and other extensions of browsers replace and remove
// nodes that React has made.

let lastId = 0;

/** React has changed nodes that something else had replaced. The part of the page around them is to be mounted anew. */
export class ReplacedNode extends Error {
  override name = "ReplacedNode";
  readonly id = ++lastId;
}

/** Lets React insert and remove nodes in spite of that, as far as possible, and then throws, which the nearest boundary catches. */
export function guardNodes(): void {
  const { insertBefore, removeChild } = Node.prototype;
  Node.prototype.insertBefore = function <T extends Node>(this: Node, node: T, before: Node | null): T {
    if (before === null || before.parentNode === this) return insertBefore.call(this, node, before) as T;
    insertBefore.call(this, node, null);
    throw new ReplacedNode("An element was to be inserted before a node that is no longer there");
  };
  Node.prototype.removeChild = function <T extends Node>(this: Node, node: T): T {
    if (node.parentNode === this) return removeChild.call(this, node) as T;
    throw new ReplacedNode("A node was to be removed that is no longer there");
  };
}
