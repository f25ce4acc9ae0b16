/** The first and the last day of a list, in the address. */
import { changeQuery } from './route.ts'
import { useText } from './text.tsx'
import { TextField } from './ui/field.tsx'

export function DateFilters({ query }: { readonly query: URLSearchParams }) {
  const { t } = useText()
  return (
    <>
      {(['from', 'to'] as const).map((name) => (
        <TextField
          key={name}
          label={t(`filter.${name}`)}
          type="date"
          value={query.get(name) ?? ''}
          onInput={(day) => changeQuery({ [name]: day })}
        />
      ))}
    </>
  )
}
