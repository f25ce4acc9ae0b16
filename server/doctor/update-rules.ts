/** Judges the updater of this machine, its release keys, its last result and its request. Pure. */
import { RELEASE_KEYS_FOLDER } from '../updates/paths.ts'
import { REASONS } from '../updates/rules.ts'
import type { MachineFacts, Updates } from './facts.ts'
import { formatDay } from './network-rules.ts'
import { notChecked, ok, warning, wrong, type Finding } from './report.ts'
import { whenMeasured } from './rules-tools.ts'

/** The unit of the updater takes a request within seconds. */
const MAX_REQUEST_AGE_MS = 10 * 60_000

/** An update waits half an hour for a visit, and five minutes for the health of the new version. */
const MAX_UPDATE_MS = 60 * 60_000

export function judgeUpdates({ updates }: MachineFacts): readonly Finding[] {
  return whenMeasured(updates, (facts) => {
    if (!facts.isInstalled)
      return [notChecked('The appliance was not installed from its package, so nothing updates it.')]
    return [...judgeReleaseKeys(facts), ...judgeLastUpdate(facts), ...judgeRequest(facts)]
  })
}

function judgeReleaseKeys({ keys, isOffered }: Updates): readonly Finding[] {
  const refused = 'The updater refuses every release, security updates included.'
  const findings = keys.flatMap(({ path, kind, isSafe }) => [
    ...(isSafe
      ? []
      : [
          wrong(
            `Another user than root may change ${path}, or it is a link.`,
            refused,
            `Compare the release keys with their vendor, then run: sudo chown root:root '${path}' && sudo chmod go-w '${path}'`,
          ),
        ]),
    ...(kind === 'UNREADABLE'
      ? [
          warning(
            `This user cannot read the release key ${path}.`,
            'The appliance refuses the releases that are signed with it.',
            `Run: sudo chmod a+r '${path}'`,
          ),
        ]
      : []),
    ...(kind === 'NO_KEY'
      ? [
          warning(
            `${path} is no Ed25519 public key in PEM.`,
            'No release is accepted by it.',
            'Get the public release key from its vendor, or remove the file.',
          ),
        ]
      : []),
  ])
  const readable = keys.filter(({ kind }) => kind === 'KEY').length
  if (findings.length > 0) return findings
  if (readable > 0) return [ok(`Only root can change the release keys (${readable}).`)]
  const what = `There is no release key in ${RELEASE_KEYS_FOLDER}.`
  const remedy = 'Install the public release key of the vendor (resources/kiosk/README.md, updates).'
  return [isOffered ? wrong(what, refused, remedy) : warning(what, refused, remedy)]
}

function judgeLastUpdate({ last }: Updates): readonly Finding[] {
  if (last === null) return [ok('This machine was never updated by the updater.')]
  if (last === 'UNREADABLE')
    return [
      warning(
        'The result of the last update cannot be read.',
        'It is not known whether it was installed.',
        'Run: sudo counterproof-update status',
      ),
    ]
  const { state, reason, to, from, at } = last
  const release = to ?? 'a release'
  const day = formatDay(new Date(at))
  if (state === 'INSTALLED') return [ok(`The last update installed version ${release} on ${day}.`)]
  const what = `The last update, to ${release} on ${day}, was not installed (${state}, ${reason ?? 'no reason'}).`
  const remedy = reason ? REASONS[reason] : 'Run: sudo counterproof-update status'
  return [
    reason === 'ROLLBACK_FAILED'
      ? wrong(what, 'The appliance may not run.', remedy)
      : warning(what, `The machine keeps version ${from} and lacks the corrections of the release.`, remedy),
  ]
}

function judgeRequest({ requestAgeMs, underWayAgeMs }: Updates): readonly Finding[] {
  const findings: Finding[] = []
  if (underWayAgeMs !== null && underWayAgeMs > MAX_UPDATE_MS)
    findings.push(
      wrong(
        'An update has been under way for more than an hour.',
        'The kiosk takes no new visit.',
        'Read journalctl -u counterproof-update, then run: sudo systemctl start counterproof-update',
      ),
    )
  // A request that comes during an update waits for its end.
  if (requestAgeMs !== null && requestAgeMs > MAX_REQUEST_AGE_MS && underWayAgeMs === null)
    findings.push(
      warning(
        'The updater has not taken a request that has waited for more than ten minutes.',
        'The release is not installed.',
        'Run: sudo systemctl enable --now counterproof-update.path && sudo systemctl start counterproof-update',
      ),
    )
  return findings
}
