/**
 * The journeys of this appliance: the product's own, and the tenant's in the folder journeys/ of the data
 * folder, which take precedence. They are read and checked at boot; an invalid file stops the boot, with all
 * problems listed.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { AppError, type FieldProblem } from '../errors.ts'
import type { Journey } from './contract/journey.ts'
import { GuidanceFile, type PortraitRule } from './guidance.ts'
import { checkJourney, type JourneyFinding, type JourneyKnowledge } from './journey-checks.ts'

/** A file of resources/journeys that is no journey. */
const GUIDANCE_FILE = 'guidance.json'

export interface JourneyFolders {
  readonly shipped: string
  /** Folder in the data folder; null: only the product's journeys. */
  readonly own: string | null
}

export interface CheckedJourney {
  readonly file: string
  readonly isOwn: boolean
  readonly journey: Journey | null
  readonly findings: readonly JourneyFinding[]
}

/** Throws `configuration_invalid` with the file and every problem. */
export function loadJourney(folders: JourneyFolders, name: string, known: JourneyKnowledge): Journey {
  const file = findJourneyFile(folders, name)
  if (!file) {
    const there = listJourneys(folders).map(({ file: path }) => basename(path, '.json'))
    throw refused('config.json', [
      {
        code: 'unknown_journey',
        field: 'kiosk.journey',
        message: `there is no journey '${name}'; take one of ${[...new Set(there)].join(', ')}`,
      },
    ])
  }
  const { journey, findings } = checkFile(file, known)
  const problems = findings.filter(({ severity }) => severity === 'problem')
  if (!journey || problems.length > 0) throw refused(basename(file), problems)
  return journey
}

/** Throws `configuration_invalid`. */
export function loadGuidance(folder: string): readonly PortraitRule[] {
  try {
    return GuidanceFile.parse(JSON.parse(readFileSync(join(folder, GUIDANCE_FILE), 'utf8'))).rules
  } catch (error) {
    throw new AppError('configuration_invalid', { file: GUIDANCE_FILE }, { cause: error })
  }
}

export function listJourneys({ shipped, own }: JourneyFolders): readonly { file: string; isOwn: boolean }[] {
  const ofFolder = (folder: string | null, isOwn: boolean) =>
    folder === null || !existsSync(folder)
      ? []
      : readdirSync(folder)
          .filter((file) => file.endsWith('.json') && file !== GUIDANCE_FILE)
          .sort()
          .map((file) => ({ file: join(folder, file), isOwn }))
  return [...ofFolder(own, true), ...ofFolder(shipped, false)]
}

export function checkFile(file: string, known: JourneyKnowledge): Omit<CheckedJourney, 'isOwn'> {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    const message = 'the file is not JSON: look for a comma too many or a quotation mark too few'
    return {
      file,
      journey: null,
      findings: [{ severity: 'problem', code: 'not_json', field: '', message }],
    }
  }
  return { file, ...checkJourney(value, known) }
}

/** Reads the languages and texts of renderer/locales. */
export function readLocales(folder: string): Pick<JourneyKnowledge, 'languages' | 'texts'> {
  const languages = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'))
  const english = JSON.parse(readFileSync(join(folder, 'en.json'), 'utf8')) as {
    readonly kiosk: Readonly<Record<string, string>>
  }
  return { languages, texts: english.kiosk }
}

function findJourneyFile({ shipped, own }: JourneyFolders, name: string): string | null {
  const folders = own === null ? [shipped] : [own, shipped]
  return folders.map((folder) => join(folder, `${name}.json`)).find((file) => existsSync(file)) ?? null
}

function refused(file: string, findings: readonly Omit<JourneyFinding, 'severity'>[]): AppError {
  const problems = findings.map(({ code, field, message }): FieldProblem => ({
    code,
    field: `${file}:${field}`,
    message,
  }))
  return new AppError('configuration_invalid', { file }, { problems })
}
