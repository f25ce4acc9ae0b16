/** Sets that are joined one by one: the root of a member stands for its set. */

/** The way to the root is shortened on the way back. */
export function rootOf(roots: number[], member: number): number {
  let root = member
  while (roots[root] !== root) root = roots[root]
  for (let i = member; roots[i] !== root;) {
    const next = roots[i]
    roots[i] = root
    i = next
  }
  return root
}
