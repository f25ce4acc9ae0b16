/**
 * Options of a zod rule about several options: it also runs if one of them is wrong, so that all problems are listed together. The
 * rule must bear members of another type than the schema's, and say nothing about them.
 */
export const EVEN_WITH_PROBLEMS = {
  when: ({ value }: { readonly value: unknown }): boolean => {
    const isObject = (one: unknown): boolean => typeof one === 'object' && one !== null
    return isObject(value) && (!Array.isArray(value) || value.every(isObject))
  },
}
