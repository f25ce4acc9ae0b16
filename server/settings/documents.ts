/**
 * Stores the settings that an administrator may change at the counter. Each is a document: a file of the data folder, or the
 * shipped default if there is no such file. Owns the check before a change, the earlier versions and undo; a change either
 * takes effect or leaves no trace. Does not know what a document means or who may change it (open-settings.ts, counter/access.ts).
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, type FieldProblem } from '../errors.ts'
import { makePrivateFolder } from '../files/own-files.ts'
import { IN_OUR_FOLDER, writeFileWhole } from '../files/write-file.ts'
import { listChanges, type Change } from './changes.ts'

export const SETTINGS = ['journey', 'brand', 'policy', 'messages', 'documents', 'reasons'] as const
export type SettingName = (typeof SETTINGS)[number]

export interface SettingFinding {
  readonly severity: 'problem' | 'warning'
  readonly code: string
  readonly field: string
  readonly message: string
}

/** Defines one kind of document: its file, its checks, and how a change takes effect. */
export interface SettingDocument {
  /** Relative to the data folder. */
  readonly file: () => string
  /** Returns the tenant's file; null if there is none. Throws if the file is not JSON. */
  readonly own: () => unknown
  /** Returns the default of the product; null if there is none. */
  readonly shipped: () => unknown
  /** Runs the checks of a start, and checks that the other documents still fit. */
  readonly check: (content: unknown) => readonly SettingFinding[]
  /** Writes the tenant's file; null removes it. */
  readonly write: (content: unknown) => void
  /** Reads the files as at a start and applies them to the running server. */
  readonly use: () => void
  /** Returns CENTRE if the central service distributes the document; null: this counter may change it. */
  readonly heldBy?: () => 'CENTRE' | null
  /** Returns the effect of the content, for the page. */
  readonly preview?: (content: unknown) => unknown
}

export interface SettingVersion {
  readonly id: number
  /** Null for content that was found: from before the first change at the counter, or edited in the file. */
  readonly at: string | null
  readonly by: string | null
  readonly act: 'SAVED' | 'UNDONE' | 'FOUND'
  /** Null: the tenant had no file. */
  readonly content: unknown
}

interface SettingState {
  readonly file: string
  readonly isOwn: boolean
  readonly heldBy: 'CENTRE' | null
  /** The content in force; null if there is none. */
  readonly content: unknown
  /** Hash of the content. A change names the state on which it is based, so that no newer change is overwritten. */
  readonly state: string
  /** Newest first. */
  readonly versions: readonly SettingVersion[]
}

export interface Saved {
  readonly changes: readonly Change[]
  readonly sha256: string
}

const FOLDER = 'settings-history'
const MAX_VERSIONS = 50

type Documents = Readonly<Record<SettingName, SettingDocument>>

export class SettingsDocuments {
  readonly #documents: Documents
  readonly #folder: string

  constructor(dataDir: string, documents: Documents) {
    this.#documents = documents
    this.#folder = join(dataDir, FOLDER)
  }

  state(name: SettingName): SettingState {
    const document = this.#documents[name]
    const own = document.own()
    return {
      file: document.file(),
      isOwn: own !== null,
      heldBy: document.heldBy?.() ?? null,
      content: this.effective(name, own),
      state: computeSha256(own),
      versions: this.#versions(name).toReversed(),
    }
  }

  /** @param content null: the default of the product */
  check(name: SettingName, content: unknown): readonly SettingFinding[] {
    const wanted = this.effective(name, content)
    return wanted === null ? [] : this.#documents[name].check(wanted)
  }

  changes(name: SettingName, content: unknown): readonly Change[] {
    return listChanges(this.effective(name, this.#documents[name].own()), this.effective(name, content))
  }

  /** Returns the content itself, or the default of the product for null. */
  effective(name: SettingName, content: unknown): unknown {
    return content ?? this.#documents[name].shipped()
  }

  preview(name: SettingName, content: unknown): unknown {
    return this.#documents[name].preview?.(content) ?? null
  }

  /** Returns the content of a version. Throws `not_found`. */
  readContent(name: SettingName, versionId: number): unknown {
    const version = this.#versions(name).find(({ id }) => id === versionId)
    if (!version) throw new AppError('not_found', { resource: 'version' })
    return version.content
  }

  /**
   * Checks, writes and applies the content, then stores a version. Throws `validation_failed` with every problem, and
   * `transition_refused` if the document has changed since, or if the central service distributes it.
   * @param basedOn state that the administrator saw
   * @param note runs before the file is written; if it throws, nothing changes
   */
  change(
    name: SettingName,
    content: unknown,
    basedOn: string,
    version: Pick<SettingVersion, 'at' | 'by' | 'act'>,
    note: (saved: Saved) => void,
  ): void {
    const document = this.#documents[name]
    const before = document.own()
    if (document.heldBy?.()) throw new AppError('transition_refused', { reason: 'held_by_centre' })
    if (computeSha256(before) !== basedOn)
      throw new AppError('transition_refused', { reason: 'changed_meanwhile' })
    const problems = this.check(name, content).filter(({ severity }) => severity === 'problem')
    if (problems.length > 0) throw new AppError('validation_failed', {}, { problems: problems.map(asField) })
    const changes = this.changes(name, content)
    this.#keepFound(name, before)
    note({ changes, sha256: computeSha256(content) })
    document.write(content)
    try {
      document.use()
    } catch (error) {
      document.write(before)
      document.use()
      throw error
    }
    this.#keep(name, { ...version, content })
  }

  /** Stores content that is in no version yet: from before the first change, or edited in the file. */
  #keepFound(name: SettingName, before: unknown): void {
    const last = this.#versions(name).at(-1)
    if (last && computeSha256(last.content) === computeSha256(before)) return
    this.#keep(name, { at: null, by: null, act: 'FOUND', content: before })
  }

  #keep(name: SettingName, version: Omit<SettingVersion, 'id'>): void {
    const folder = join(this.#folder, name)
    makePrivateFolder(this.#folder)
    makePrivateFolder(folder)
    const all = this.#versions(name)
    const id = (all.at(-1)?.id ?? 0) + 1
    writeFileWhole(buildVersionPath(folder, id), JSON.stringify({ ...version, id }), IN_OUR_FOLDER)
    for (const old of all.slice(0, -MAX_VERSIONS)) rmSync(buildVersionPath(folder, old.id), { force: true })
  }

  /** Oldest first. */
  #versions(name: SettingName): readonly SettingVersion[] {
    const folder = join(this.#folder, name)
    if (!existsSync(folder)) return []
    return readdirSync(folder)
      .filter((file) => /^\d{6}\.json$/.test(file))
      .sort()
      .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as SettingVersion)
  }
}

const buildVersionPath = (folder: string, id: number): string =>
  join(folder, `${String(id).padStart(6, '0')}.json`)

const asField = ({ code, field, message }: SettingFinding): FieldProblem => ({ code, field, message })

function computeSha256(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content), 'utf8').digest('hex')
}
