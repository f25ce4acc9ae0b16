/** Builds a listed person from facts that a file states in several places. Keeps each fact once. */
import { documentNumber, type DateSpan, type ListedPerson } from '../proofing/watchlist/listed.ts'
import { findCountries } from './countries.ts'

/** A longer text is not a name. */
const MAX_NAME_LENGTH = 300

export class PersonDraft {
  readonly #id: string
  readonly #names = new Map<string, boolean>()
  readonly #births = new Map<string, DateSpan>()
  readonly #countries: string[] = []
  readonly #origins: string[] = []
  readonly #documents = new Set<string>()

  constructor(id: string) {
    this.#id = id.replace(/\s+/g, '_')
  }

  /** A name that occurs both as weak and as not weak is not weak. */
  addName(text: string, isWeak: boolean): void {
    const name = text.replace(/\s+/g, ' ').trim().slice(0, MAX_NAME_LENGTH)
    if (/\p{L}/u.test(name)) this.#names.set(name, isWeak && (this.#names.get(name) ?? true))
  }

  addBirth(span: DateSpan | null): void {
    if (span) this.#births.set(`${span.from}/${span.to}`, span)
  }

  /** Nationality and citizenship. */
  addCountry(name: string): void {
    this.#countries.push(name)
  }

  /** Country of birth, used only if no nationality is known. */
  addOrigin(name: string): void {
    this.#origins.push(name)
  }

  addDocument(number: string): void {
    const plain = documentNumber(number)
    if (plain !== null) this.#documents.add(plain)
  }

  /** Null without a name. */
  finish(): ListedPerson | null {
    if (this.#names.size === 0) return null
    const countries = findCountries(this.#countries)
    return {
      id: this.#id,
      names: [...this.#names].map(([text, isWeak]) => ({ text, isWeak })),
      births: [...this.#births.values()],
      countries: countries.length > 0 ? countries : findCountries(this.#origins),
      documents: [...this.#documents],
    }
  }
}
