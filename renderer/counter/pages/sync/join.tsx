/** Joins the head office by its address and its code; shows the result and the next act. */
import { useState } from 'preact/hooks'
import type { JoinAnswer, JoinBody } from '../../../../server/counter/contract/sync.ts'
import { useAct } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { TextField } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Mono } from '../../ui/time.tsx'

export type JoinedAnswer = Extract<JoinAnswer, { state: 'JOINED' }>

export function JoinCard({ onJoined }: { readonly onJoined: (answer: JoinedAnswer) => void }) {
  const { t } = useText()
  const client = useClient()
  const act = useAct()
  const [url, setUrl] = useState('')
  const [code, setCode] = useState('')
  const [refused, setRefused] = useState<Extract<JoinAnswer, { state: 'REFUSED' }> | null>(null)
  const join = () =>
    act.run(async () => {
      setRefused(null)
      const body: JoinBody = { url: url.trim(), code: code.trim() }
      const answer = await client.send<JoinAnswer>('POST', 'sync/join', { body })
      if (answer.state === 'JOINED') onJoined(answer)
      else setRefused(answer)
    })
  return (
    <Card title={t('sync.join.title')}>
      <p class="muted">{t('sync.join.text')}</p>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void join()
        }}
      >
        <TextField
          label={t('sync.join.url')}
          hint={t('sync.join.url.hint')}
          dir="ltr"
          maxLength={200}
          value={url}
          onInput={setUrl}
        />
        <TextField
          label={t('sync.join.code')}
          hint={t('sync.join.code.hint')}
          dir="ltr"
          maxLength={100}
          value={code}
          onInput={setCode}
        />
        <div role="status">{act.working && <Notice tone="waiting" title={t('sync.join.working')} />}</div>
        {refused && (
          <Notice tone="problem" alert title={t(`sync.join.${refused.reason}`)}>
            <p>{t(`sync.join.${refused.reason}.do`)}</p>
          </Notice>
        )}
        <ProblemNotice problem={act.problem} />
        <Button
          kind="primary"
          type="submit"
          icon="sync"
          working={act.working}
          disabled={url.trim() === '' || code.trim() === ''}
        >
          {t('sync.join.go')}
        </Button>
      </form>
    </Card>
  )
}

export function Joined({ answer }: { readonly answer: JoinedAnswer }) {
  const { t } = useText()
  return (
    <Notice tone="done" title={t('sync.join.joined')}>
      <Facts
        facts={[
          [t('sync.join.centre'), <Mono breaks>{answer.centreId}</Mono>],
          [t('sync.join.tenant'), <Mono>{answer.tenantId}</Mono>],
          [t('sync.join.fingerprint'), <Mono>{groupCharacters(answer.fingerprint)}</Mono>],
          [t('sync.join.queued'), answer.queued],
        ]}
      />
    </Notice>
  )
}

const groupCharacters = (text: string): string => text.match(/.{1,4}/g)?.join('-') ?? text
