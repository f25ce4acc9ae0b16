/** `npm run journeys`: lists the journeys of this kiosk, and checks whether it accepts a file. */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Config } from '../config/config.ts'
import { loadTenantPolicies } from '../config/policies.ts'
import type { JourneyKnowledge } from '../kiosk/journey-checks.ts'
import { checkFile, listJourneys, type CheckedJourney } from '../kiosk/journeys.ts'
import { journeyFolders, journeyKnowledge } from '../open-kiosk.ts'
import { listOrCheck, type Asked, type Told } from './list-and-check.ts'
import { UsageError } from './usage.ts'

const HELP = `Journeys of the kiosk: the steps of a visit, with their conditions, texts and times.

  npm run journeys -- list [--data DIR] [--json]
  npm run journeys -- check [FILE...] [--data DIR] [--json]

  list      lists the journeys that come with the product and the tenant's journeys in journeys/ of the data folder, and
            names the one in force (kiosk.journey in config.json)
  check     checks a journey (all of them without FILE) against this appliance's configuration (SMS gateway, identity
            providers, policy) and lists every problem with its place and its remedy. Also prints warnings; a warning does
            not refuse the journey
  --data    the appliance's data folder (default: ~/.local/share/counterproof)
  --json    prints the result as one JSON object

The members of a journey: resources/journeys/README.md.
Exit status: 0 done, 1 a journey would be refused, 2 wrong use.

Example: npm run journeys -- check my-journey.json
`

export const run = (argv: string[]): Promise<number> => listOrCheck(argv, HELP, { list, check })

function gatherKnowledge(config: Config): JourneyKnowledge {
  const policy = loadTenantPolicies(config).get(config.tenant.policy)
  if (!policy) throw new UsageError(`there is no policy '${config.tenant.policy}' (config tenant.policy)`)
  return journeyKnowledge(config, policy)
}

function list({ config }: Asked): Told {
  const known = gatherKnowledge(config)
  const all = checkedAll(config, known)
  const inForce = all.find(({ file }) => toJourneyName(file) === config.kiosk.journey)?.file
  const rows = all.map(({ file, isOwn, journey, findings }) => ({
    name: toJourneyName(file),
    file,
    own: isOwn,
    inForce: file === inForce,
    sound: isSound(findings),
    id: journey?.id ?? null,
    version: journey?.version ?? null,
    steps: journey?.steps.map(({ kind }) => kind) ?? [],
    languages: journey?.languages ?? [],
  }))
  const words = rows.map(({ name, own, inForce: isUsed, sound, steps, languages }) =>
    [
      `${name}${isUsed ? ' (in force)' : ''}${own ? ' (own)' : ''}${sound ? '' : ' – would be refused'}`,
      `  ${steps.join(', ') || 'cannot be read'}; ${languages.join(' ')}`,
    ].join('\n'),
  )
  return { result: { journeys: rows }, words: `${words.join('\n')}\n` }
}

function check({ config, names: files }: Asked): Told {
  const known = gatherKnowledge(config)
  const checked =
    files.length === 0
      ? checkedAll(config, known)
      : files.map((file) => {
          readFileSync(file) // a missing file is a separate error with its path
          return checkFile(file, known)
        })
  const words = checked.flatMap(({ file, findings }) => [
    `${file}: ${isSound(findings) ? 'sound' : 'would be refused'}${findings.length > 0 ? ':' : ''}`,
    ...findings.map(
      ({ severity, field, message }) =>
        `  ${severity === 'problem' ? 'refused' : 'to know'}  ${field === '' ? '' : `${field}: `}${message}`,
    ),
  ])
  const result = checked.map(({ file, findings }) => ({ file, sound: isSound(findings), findings }))
  return {
    result: { journeys: result },
    words: `${words.join('\n')}\n`,
    status: result.every(({ sound }) => sound) ? 0 : 1,
  }
}

function checkedAll(config: Config, known: JourneyKnowledge): readonly CheckedJourney[] {
  return listJourneys(journeyFolders(config)).map(({ file, isOwn }) => ({ ...checkFile(file, known), isOwn }))
}

const toJourneyName = (file: string): string => basename(file, '.json')

const isSound = (findings: CheckedJourney['findings']): boolean =>
  findings.every(({ severity }) => severity !== 'problem')
