/** Four counts, each a link to what it counts. Dashes replace unknown counts. */
import type { TodayView } from '../../../../server/counter/contract/today.ts'
import { linkTo } from '../../route.ts'
import { useSession } from '../../session.tsx'
import type { Permission } from '../../../../server/counter/contract/staff.ts'
import { useText } from '../../text.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icon.tsx'

interface Count {
  readonly name: keyof TodayView['counts']
  readonly icon: IconName
  readonly href: string
  /** The tone of a count that is not zero. */
  readonly tone: 'note' | 'attention' | 'problem'
  readonly permission: Permission
}

const COUNTS: readonly Count[] = [
  { name: 'waitingForMe', icon: 'desk', href: linkTo('desk'), tone: 'attention', permission: 'desk:decide' },
  {
    name: 'running',
    icon: 'person',
    href: linkTo('today', { state: 'running' }),
    tone: 'note',
    permission: 'proofings:list',
  },
  {
    name: 'helpCalls',
    icon: 'help',
    href: linkTo('today', { flag: 'HELP' }),
    tone: 'attention',
    permission: 'proofings:list',
  },
  { name: 'problems', icon: 'octagon', href: linkTo('devices'), tone: 'problem', permission: 'devices:see' },
]

export function Counts({ counts }: { readonly counts: TodayView['counts'] | null }) {
  const { t } = useText()
  const { can } = useSession()
  return (
    <ul class="counts" aria-label={t('today.counts')} aria-busy={counts === null || undefined}>
      {COUNTS.filter(({ permission }) => can(permission)).map(({ name, icon, href, tone }) => (
        <li key={name}>
          <a class={`count-link${counts && counts[name] > 0 ? ` count-${tone}` : ''}`} href={href}>
            <Icon name={icon} size={24} />
            <b>{counts ? counts[name] : '–'}</b>
            <span>{t(`today.count.${name}`)}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}
