/**
 * States that concern every page: the connection to the head office, the clock, and the connection to the
 * appliance.
 */
import type { DevicesView, PartView } from '../../../server/counter/contract/devices.ts'
import { useResource } from '../hooks.ts'
import { linkTo } from '../route.ts'
import { useClient } from '../session.tsx'
import { useText } from '../text.tsx'
import { Badge } from '../ui/badge.tsx'

const EVERY_MS = 30_000
const CLOCK_WORDS = {
  WORKS: 'states.clock.good',
  PROBLEM: 'states.clock.unsure',
  NOT_KNOWN: 'states.clock.unchecked',
  NOT_SET_UP: 'states.clock.unchecked',
} as const

export function StateBadges() {
  const { t } = useText()
  const client = useClient()
  const { data, problem } = useResource<DevicesView>((signal) => client.get('devices', signal), 'state', {
    everyMs: EVERY_MS,
  })
  const part = (name: string): PartView | undefined => data?.parts.find((one) => one.name === name)
  const clock = part('clock')
  const sync = part('sync')
  return (
    <ul class="states" aria-label={t('states.label')}>
      {problem?.code === 'offline' && (
        <li>
          <Badge tone="problem" icon="offline">
            {t('states.unreachable')}
          </Badge>
        </li>
      )}
      {clock && (
        <li>
          <a href={linkTo('devices')}>
            <Badge tone={clock.state === 'UP' ? 'quiet' : 'attention'} icon="clock">
              {t(CLOCK_WORDS[clock.word])}
            </Badge>
          </a>
        </li>
      )}
      {sync && sync.state !== 'UP' && (
        <li>
          <a href={linkTo('sync')}>
            <Badge tone="attention" icon="offline">
              {t('states.sync.waiting')}
            </Badge>
          </a>
        </li>
      )}
    </ul>
  )
}
