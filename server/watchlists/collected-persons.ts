/** Collects the persons of a list, each once, and counts the entries that are no persons. */
import type { ListedPerson } from '../proofing/watchlist/listed.ts'
import { ListRefused, type ParsedList } from './parsed-list.ts'

interface CollectedPersons {
  /** Throws ListRefused for a person without a number or name (null), or a second one of the same number. */
  add(person: ListedPerson | null): void
  /** Counts an organisation, ship or other entry that is no person. */
  leaveOut(): void
  /** @param stated text that begins with the day of the list, yyyy-MM-dd; the list has no day if it does not */
  finish(stated: string): ParsedList
}

/** @param fileName for the refusals */
export function collectPersons(fileName: string): CollectedPersons {
  const persons = new Map<string, ListedPerson>()
  let leftOut = 0
  return {
    add: (person) => {
      if (person === null) throw new ListRefused(`${fileName} holds a person without a number or a name`)
      if (persons.has(person.id)) throw new ListRefused(`${fileName} holds one person twice`)
      persons.set(person.id, person)
    },
    leaveOut: () => void leftOut++,
    finish: (stated) => {
      const date = /^\d{4}-\d{2}-\d{2}/.exec(stated)?.[0] ?? null
      return { date, persons: [...persons.values()], leftOut }
    },
  }
}
