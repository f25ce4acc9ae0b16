/** Disjoint sets (union-find): the root of a member identifies its set. */

/** Compresses the path to the root. */
export function findRoot(roots: number[], member: number): number {
  let root = member
  while (roots[root] !== root) root = roots[root]
  for (let i = member; roots[i] !== root;) {
    const next = roots[i]
    roots[i] = root
    i = next
  }
  return root
}
