/** Judges the files of the appliance: permissions, keys, database, models, disks. Pure. */
import { ALL_WELL, findFaults } from '../proofing/antifraud/faults.ts'
import { LOW_DISK_BYTES } from '../proofing/freeze.ts'
import type { Disk, KeyFile, MachineFacts, Models } from './facts.ts'
import { notChecked, ok, warning, wrong, type Finding } from './report.ts'
import { whenMeasured, describeEffect, nameSome } from './rules-tools.ts'

/** Bits of a file mode: rights of users other than the owner. */
const OTHERS = 0o077

const OTHERS_WRITE = 0o022

export function judgePermissions({ permissions }: MachineFacts): readonly Finding[] {
  return whenMeasured(permissions, ({ folder, mode, isReadOnly, locked, open, foreign, seen, isWhole }) => {
    const findings: Finding[] = []
    if (isReadOnly)
      findings.push(
        wrong(
          'The file system of the data folder takes no writes.',
          'Nothing can be stored: no visit begins, and a start is refused.',
          'Read the log of the system for a fault of the disk, then mount it for writing.',
        ),
      )
    if (locked.length > 0)
      findings.push(
        wrong(
          `The user of the appliance may not use ${nameSome(locked.map(({ name, mode: own }) => `${name} (mode ${formatMode(own)})`))}.`,
          'The appliance cannot store what it must, and a start is refused.',
          `Run the doctor as the user of the appliance; if you did, run: chmod -R u+rwX '${folder}', or give the entries to that user with chown.`,
        ),
      )
    if ((mode & OTHERS) !== 0)
      findings.push(
        wrong(
          `Other users can ${(mode & OTHERS_WRITE) === 0 ? 'read' : 'change'} the data folder (mode ${formatMode(mode)}).`,
          (mode & OTHERS_WRITE) === 0
            ? 'They can copy encrypted evidence and settings.'
            : 'They can replace evidence, settings and keys; the next start is refused.',
          `Look through the folder, then run: chmod 700 '${folder}'`,
        ),
      )
    if (open.length > 0)
      findings.push(
        wrong(
          `Entries of the data folder are open to other users (${open.length}): ${nameSome(open)}.`,
          'Other users may have read or changed them.',
          `Look through them, then run: chmod -R go-rwx '${folder}'`,
        ),
      )
    if (foreign.length > 0)
      findings.push(
        wrong(
          `Entries of the data folder belong to another user (${foreign.length}): ${nameSome(foreign)}.`,
          'That user can change them, and the appliance may be unable to write them.',
          `Look through them, then give them to the owner of '${folder}' with chown.`,
        ),
      )
    if (!isWhole)
      findings.push(notChecked(`Only the first ${seen} entries of the data folder were looked at.`))
    return findings.length > 0 ? findings : [ok(`Only the owner can open the data folder (${seen} entries).`)]
  })
}

export function judgeKeys({ keys }: MachineFacts): readonly Finding[] {
  return whenMeasured(keys, ({ source, hasDatabase, masterKey, files, closed }) => {
    const findings = files.flatMap(judgeKeyFile)
    if (closed.length > 0)
      findings.push(
        wrong(
          `This user may not read ${nameSome(closed)}.`,
          'A start is refused, and no identity can be opened.',
          'Run the doctor as the user of the appliance; if you did, give the keys to that user with chown.',
        ),
      )
    if (masterKey && masterKey.problem !== null)
      findings.push(
        wrong(
          `The master key ${masterKey.place} is refused: ${masterKey.problem}.`,
          'No identity and no proof of this appliance can be opened, and a start is refused.',
          `Move the file away, then restore the key of this database: npm run kek -- restore (docs/RUNBOOK.md)`,
        ),
      )
    if (masterKey && !masterKey.isThere && closed.length === 0)
      findings.push(
        hasDatabase
          ? wrong(
              `The master key ${masterKey.place} is missing beside an existing database.`,
              'No identity and no proof of this appliance can be opened, and a start is refused.',
              'Restore it from its shares: npm run kek -- restore',
            )
          : notChecked('There is no master key yet; the first start makes it.'),
      )
    if (source === 'shell')
      findings.push(notChecked('The shell keeps the master key; this command cannot see it.'))
    if (source === 'pkcs11')
      findings.push(notChecked('The master key is in a token, which answers only to its PIN.'))
    if (source === null)
      findings.push(notChecked('config.json is not valid, so the source of the master key is not known.'))
    if (files.length > 0 && findings.every(({ state }) => state !== 'WRONG'))
      findings.unshift(ok(`Only the owner can read the files of keys (${files.length}).`))
    return findings
  })
}

export function judgeDatabase({ database }: MachineFacts): readonly Finding[] {
  return whenMeasured(database, ({ path, kind, code, keysProblem }) => {
    const restore = 'Restore a backup: docs/RUNBOOK.md, "The database is damaged".'
    const cost =
      'A start is refused; proofs that the central service does not have are lost without a backup.'
    if (kind === 'NONE') return [notChecked('There is no database yet; the first start makes it.')]
    if (kind === 'LOST') return [wrong(`${path} is missing or empty beside its keys.`, cost, restore)]
    if (kind === 'DAMAGED') return [wrong(`${path} is damaged (${code ?? 'unknown'}).`, cost, restore)]
    if (kind === 'REFUSED')
      return [
        wrong(
          `${path} or the file of the identity keys cannot be opened (${code ?? 'unknown'}).`,
          'A start is refused.',
          'Check the disk, the owner and the mode of both files: the checks permissions, keys and disk say more.',
        ),
      ]
    if (keysProblem !== null)
      return [
        wrong(
          `${keysProblem}.`,
          'A start is refused, so that no identity is lost unnoticed.',
          'Restore the newest copy: npm run backup -- restore-keys (docs/RUNBOOK.md, "The keys of the identities are gone")',
        ),
      ]
    return [
      ok(
        'The database can be read, and the keys of the identities fit it. npm run audit -- verify reads all of it.',
      ),
    ]
  })
}

function judgeKeyFile({ path, mode, isForeign }: KeyFile): Finding[] {
  const cost = 'A copy of the keys opens every identity on this disk and in its backups; a start is refused.'
  const remedy = (command: string) =>
    `Find out who may have copied the file (docs/RUNBOOK.md, keys), then run: ${command} '${path}'`
  return [
    ...((mode & OTHERS) === 0
      ? []
      : [wrong(`Other users can read ${path} (mode ${formatMode(mode)}).`, cost, remedy('chmod 600'))]),
    ...(isForeign ? [wrong(`${path} belongs to another user.`, cost, remedy('chown'))] : []),
  ]
}

const MODEL_FAULTS = [
  'FACE_MODELS_MISSING',
  'LIVENESS_MODELS_MISSING',
  'PAD_MODEL_MISSING',
  'READING_MODELS_MISSING',
]

export function judgeModels(facts: MachineFacts): readonly Finding[] {
  return whenMeasured(facts.models, (models) => {
    const { files, wantsExtended } = models
    const isWanted = ({ pack }: (typeof files)[number]) => pack === 'core' || wantsExtended
    const refused = files.filter((file) => file.state === 'refused' && isWanted(file))
    const missing = files.filter((file) => file.state === 'missing' && file.pack === 'core')
    const findings = [
      ...[...refused, ...missing].map(({ id, path, state }, index) =>
        wrong(
          state === 'refused'
            ? `The model ${id} is not the file that models/manifest.json pins: ${path}.`
            : `The model ${id} is missing: ${path}.`,
          // The cost is that of all of them together.
          index === 0 ? describeModelCost(facts, models) : null,
          state === 'refused'
            ? 'Delete the file, then run: npm run models (core) or npm run models -- download (extended)'
            : 'Make it: npm run models. A first start also makes the core models.',
        ),
      ),
    ]
    const lacking = files.filter((file) => file.state === 'missing' && file.pack === 'extended')
    if (wantsExtended && lacking.length > 0)
      findings.push(
        warning(
          `Models of the extended pack are not installed: ${nameSome(lacking.map(({ id }) => id))}.`,
          'One network compares faces instead of two, and single pictures get no attack detection.',
          'Install them: npm run models -- download; or set vision.packs to core.',
        ),
      )
    const ready = files.filter(({ state }) => state === 'ready').length
    return findings.length > 0 ? findings : [ok(`${ready} models have the hashes of the manifest.`)]
  })
}

function describeModelCost(facts: MachineFacts, { abilities }: Models): string | null {
  const environment = { ...ALL_WELL, abilities }
  const faults = [
    ...findFaults(environment, { touched: 'PORTRAIT', live: true }),
    ...findFaults(environment, { touched: 'IDDOCUMENT' }),
  ].filter((fault) => MODEL_FAULTS.includes(fault))
  return [...new Set(faults)].map((fault) => describeEffect(facts, fault)).join(' ') || null
}

export function judgeDisk({
  use,
  path,
  freeBytes,
  freeFiles,
  isOfData,
  freezeBytes,
}: Disk): readonly Finding[] {
  if (freeBytes === null)
    return [
      wrong(
        `The folder of the ${use} is missing: ${path}.`,
        'No backup is made, so a dead disk takes the open proofings with it.',
        'Mount the disk, or correct backup in config.json.',
      ),
    ]
  const space = `The disk of the ${use} has ${Math.floor(freeBytes / 1_000_000)} MB free`
  const findings: Finding[] = []
  if (use === 'data' && freeBytes < freezeBytes)
    findings.push(
      wrong(
        `${space}, less than sync.freeze.freeMegabytes (${Math.floor(freezeBytes / 1_000_000)}).`,
        'New proofings are refused until there is space.',
        'Free space on the disk; npm run retention -- list shows what is stored and why.',
      ),
    )
  else if (freeBytes < LOW_DISK_BYTES)
    findings.push(
      warning(
        `${space}.`,
        use === 'data' ? 'New proofings are refused soon.' : 'The next backup may fail.',
        'Free space on the disk, or use a larger one.',
      ),
    )
  if (freeFiles === 0)
    findings.push(
      wrong(
        `The file system of the ${use} can hold no more files.`,
        'No evidence can be stored, and submissions are refused.',
        'Delete files on this file system that the appliance does not need.',
      ),
    )
  if (use !== 'data' && isOfData)
    findings.push(
      warning(
        `The ${use} are on the disk of the data.`,
        'A dead disk takes the data and its backups.',
        'Name a folder on another disk in config.json (backup).',
      ),
    )
  return findings.length > 0 ? findings : [ok(`${space}.`)]
}

const formatMode = (mode: number): string => `0${(mode & 0o777).toString(8).padStart(3, '0')}`
