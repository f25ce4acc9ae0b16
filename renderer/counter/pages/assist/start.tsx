/** The start of a proofing at the counter: with a new applicant, a kiosk's receipt, or a visit under way. */
import { useState } from 'preact/hooks'
import type { AssistView } from '../../../../server/counter/contract/assist.ts'
import type { ProofingRow } from '../../../../server/counter/contract/today.ts'
import { LANGUAGES } from '../../../locales/index.ts'
import { useAct, useResource } from '../../hooks.ts'
import { goTo, linkTo } from '../../route.ts'
import { useClient } from '../../session.tsx'
import { toTakeOverBody } from '../../shell/scanner.ts'
import { useText } from '../../text.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Card, Skeleton } from '../../ui/card.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Table } from '../../ui/table.tsx'
import { Mono, Time } from '../../ui/time.tsx'
import { stepWord } from '../../words.ts'

export function StartPage() {
  const { t } = useText()
  return (
    <Page title={t('nav.assist')} lead={t('assist.lead')}>
      <div class="assist-ways">
        <Begin />
        <FromReceipt />
      </div>
      <Mine />
    </Page>
  )
}

function Begin() {
  const { t, language } = useText()
  const client = useClient()
  const act = useAct()
  const [tag, setTag] = useState(language.tag)
  const begin = () =>
    act.run(async () => {
      const { visitId } = await client.send<AssistView>('POST', 'assist/begin', { body: { language: tag } })
      goTo(`assist/${visitId}`)
    })
  return (
    <Card title={t('assist.begin.title')} marked>
      <p class="muted">{t('assist.begin.text')}</p>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void begin()
        }}
      >
        <SelectField
          label={t('assist.language')}
          value={tag}
          choices={LANGUAGES.map(({ tag: value, name }) => ({ value, label: name }))}
          onChange={setTag}
        />
        <ProblemNotice problem={act.problem} />
        <Button kind="primary" type="submit" icon="add" working={act.working}>
          {t('assist.begin.go')}
        </Button>
      </form>
    </Card>
  )
}

function FromReceipt() {
  const { t } = useText()
  const client = useClient()
  const act = useAct()
  const [text, setText] = useState('')
  const take = () =>
    act.run(async () => {
      if (text.trim() === '') return
      const { visitId } = await client.send<AssistView>('POST', 'assist/take-over', {
        body: toTakeOverBody(text),
      })
      goTo(`assist/${visitId}`)
    })
  return (
    <Card title={t('assist.take-over.title')}>
      <p class="muted">{t('assist.take-over.text')}</p>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void take()
        }}
      >
        <TextField
          label={t('assist.code')}
          hint={t('assist.code.hint')}
          size="code"
          dir="ltr"
          maxLength={200}
          value={text}
          onInput={(value) => {
            act.clear()
            setText(value)
          }}
        />
        <ProblemNotice problem={act.problem} />
        <Button type="submit" icon="assist" working={act.working} disabled={text.trim() === ''}>
          {t('assist.take-over.go')}
        </Button>
      </form>
    </Card>
  )
}

function Mine() {
  const texts = useText()
  const { t, formats } = texts
  const client = useClient()
  const mine = useResource<{ readonly visits: readonly ProofingRow[] }>(
    (signal) => client.get('assist', signal),
    'mine',
  )
  return (
    <section aria-labelledby="mine">
      <h2 id="mine">{t('assist.mine')}</h2>
      <ProblemNotice problem={mine.problem} onRetry={mine.reload} />
      {!mine.data ? (
        !mine.problem && <Skeleton rows={2} />
      ) : mine.data.visits.length === 0 ? (
        <p class="muted">{t('assist.mine.none')}</p>
      ) : (
        <Table
          caption={t('assist.mine')}
          rows={mine.data.visits}
          getKey={({ visitId }) => visitId}
          columns={[
            {
              key: 'reference',
              label: t('column.reference'),
              head: true,
              cell: ({ reference }) =>
                reference ? <Mono>{reference}</Mono> : <span class="muted">{t('today.no-reference')}</span>,
            },
            {
              key: 'time',
              label: t('column.time'),
              cell: ({ startedAt }) => <Time at={startedAt} show="relative" />,
            },
            { key: 'step', label: t('column.state'), cell: ({ step }) => stepWord(step, texts) },
            {
              key: 'language',
              label: t('column.language'),
              cell: ({ language }) => formats.language(language),
            },
            {
              key: 'acts',
              label: t('column.acts'),
              hidden: true,
              cell: ({ visitId }) => (
                <LinkButton icon="next" href={linkTo(`assist/${visitId}`)}>
                  {t('assist.go-on')}
                </LinkButton>
              ),
            },
          ]}
        />
      )}
    </section>
  )
}
