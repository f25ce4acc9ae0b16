/**
 * The rules of the doctor: measured facts → findings. Pure. Each sentence says what is wrong, what it costs the applicant or the
 * proof, and what to do. A fact that could not be measured is NOT_CHECKED.
 */
import type { MachineFacts } from './facts.ts'
import { judgePermissions, judgeKeys, judgeDatabase, judgeModels, judgeDisk } from './file-rules.ts'
import {
  judgeClock,
  judgeCameras,
  judgeReader,
  judgeSandbox,
  judgeSpeech,
  judgePrinter,
  judgePower,
} from './machine-rules.ts'
import { judgeNetwork, judgeCertificates } from './network-rules.ts'
import {
  CHECKS,
  findWorstState,
  notChecked,
  ok,
  wrong,
  type CheckName,
  type CheckResult,
  type Finding,
} from './report.ts'
import { JUDGED_APART, whenMeasured, judgeEach, judgeComponent } from './rules-tools.ts'
import { judgeUpdates } from './update-rules.ts'

export function judgeMachine(facts: MachineFacts): readonly CheckResult[] {
  return CHECKS.map((check) => {
    const findings = RULES[check](facts)
    return { check, state: findWorstState(findings.map(({ state }) => state)), findings }
  })
}

const RULES: Readonly<Record<CheckName, (facts: MachineFacts) => readonly Finding[]>> = {
  configuration: judgeConfiguration,
  appliance: judgeAppliance,
  permissions: judgePermissions,
  keys: judgeKeys,
  database: judgeDatabase,
  models: judgeModels,
  disk: (facts) => judgeEach(facts.disks, judgeDisk),
  clock: judgeClock,
  cameras: judgeCameras,
  reader: judgeReader,
  network: judgeNetwork,
  certificates: judgeCertificates,
  sandbox: judgeSandbox,
  speech: judgeSpeech,
  printer: judgePrinter,
  power: judgePower,
  updates: judgeUpdates,
}

function judgeConfiguration({ settingProblems }: MachineFacts): readonly Finding[] {
  if (settingProblems.length === 0) return [ok('config.json and the files that it names are valid.')]
  return settingProblems.map(({ field, message }) =>
    wrong(
      `${field}: ${message}.`,
      'The next start of the appliance is refused.',
      'Correct this option; server/config/README.md describes each one.',
    ),
  )
}

function judgeAppliance({ health, sync }: MachineFacts): readonly Finding[] {
  return whenMeasured(health, (report) => {
    if (!report)
      return [
        notChecked(
          'No appliance runs on this data folder, so its jobs, backups, audit log and lists were not checked.',
          'Start the appliance and run the doctor again.',
        ),
      ]
    const troubles = Object.entries(report.components).flatMap(([name, component]) =>
      Object.hasOwn(JUDGED_APART, name) ? [] : judgeComponent(name, component),
    )
    return [ok(`The appliance answers, version ${report.version}.`), ...judgeFreeze(sync), ...troubles]
  })
}

/** A stop by the central service is a finding of the network. */
function judgeFreeze(sync: MachineFacts['sync']): readonly Finding[] {
  const last = sync.kind === 'measured' ? sync.value : null
  if (!last || last.stop !== null || last.frozen.length === 0) return []
  return [
    wrong(
      `Nothing new may begin: ${last.frozen.join(', ')}.`,
      'No applicant can begin a proofing.',
      'docs/RUNBOOK.md says what to do for each reason.',
    ),
  ]
}
