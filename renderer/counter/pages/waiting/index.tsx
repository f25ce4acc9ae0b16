/**
 * Only the waiting applicants: for a second screen or a tablet, readable from two metres. A call that an
 * officer takes disappears.
 */
import type { HelpCall } from '../../../../server/counter/contract/today.ts'
import { parseUtcTime } from '../../formats.ts'
import { useNow } from '../../hooks.ts'
import { linkTo } from '../../route.ts'
import { useSession } from '../../session.tsx'
import { isOpen, useWaiting } from '../../shell/waiting.tsx'
import { useText } from '../../text.tsx'
import type { Texts } from '../../text.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Mono } from '../../ui/time.tsx'
import { stepWord } from '../../words.ts'
import { AlertSwitches } from '../today/alert-switches.tsx'
import { waitingWords } from '../today/help-calls.tsx'

export function WaitingPage() {
  const { t } = useText()
  const { can } = useSession()
  const waiting = useWaiting()
  const calls = waiting?.data?.calls.filter(isOpen) ?? []
  const cases = waiting?.data?.cases ?? 0
  return (
    <div class="wall">
      <Page
        title={t('waiting.title')}
        actions={
          <>
            <AlertSwitches />
            <LinkButton icon="back" href={linkTo(can('proofings:list') ? 'today' : 'me')}>
              {t(can('proofings:list') ? 'nav.today' : 'me.here')}
            </LinkButton>
          </>
        }
      >
        <ProblemNotice problem={waiting?.problem ?? null} />
        <p class={calls.length + cases > 0 ? 'only-read' : 'wall-none'} role="status">
          {calls.length + cases > 0
            ? t('help.waiting', { count: calls.length })
            : waiting?.data
              ? t('help.none')
              : ''}
        </p>
        <ul class="wall-list" hidden={calls.length === 0}>
          {calls.map((call) => (
            <Waiting key={call.visitId} call={call} />
          ))}
        </ul>
        {cases > 0 && (
          <p class="wall-cases">
            <Icon name="desk" size={64} />
            <span>{t('waiting.cases', { count: cases })}</span>
          </p>
        )}
      </Page>
    </div>
  )
}

/** Names the place of the person: a step of the kiosk, or the way to the counter. */
function placeWord({ kind, because, step }: HelpCall, texts: Texts): string {
  if (kind === 'HELP') return stepWord(step, texts)
  return texts.t(because === 'UNATTENDED' ? 'waiting.left' : 'waiting.to-counter')
}

function Waiting({ call }: { readonly call: HelpCall }) {
  const texts = useText()
  const { client } = useSession()
  const now = useNow(1_000)
  const waitedMs = Math.max(0, Math.max(now, client.now()) - parseUtcTime(call.askedAt).getTime())
  return (
    <li class="wall-call">
      <Icon name={call.kind === 'SENT' ? 'person' : 'help'} size={64} />
      <div>
        <p class="wall-where">
          <b>{call.kiosk}</b> {placeWord(call, texts)} {call.reference && <Mono>{call.reference}</Mono>}
        </p>
        <p>
          {waitingWords(call, waitedMs, texts)} · {texts.formats.language(call.language)}
        </p>
      </div>
    </li>
  )
}
