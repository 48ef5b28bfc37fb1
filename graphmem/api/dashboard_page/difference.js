// What changed between two texts, word by word.

const MOST = 1500; // words of a text that are compared one by one

/** The words of a text, each with the space behind it. */
export function words(text) {
  return text.match(/\S+\s*/g) ?? [];
}

/** Pieces `{ kind, text }` in order: `same`, `gone` or `come`. */
export function changesOf(before, after) {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start])
    start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const middle = between(
    before.slice(start, before.length - end),
    after.slice(start, after.length - end),
  );
  const all = [
    piece("same", before.slice(0, start)),
    ...middle,
    piece("same", before.slice(before.length - end)),
  ];
  return all.filter(({ text }) => text);
}

function piece(kind, part) {
  return { kind, text: part.join("") };
}

function between(before, after) {
  if (before.length > MOST || after.length > MOST)
    return [piece("gone", before), piece("come", after)];
  const longest = lengths(before, after);
  const found = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      push(found, "same", before[i]);
      [i, j] = [i + 1, j + 1];
    } else if (j >= after.length || (i < before.length && longest[i + 1][j] >= longest[i][j + 1])) {
      push(found, "gone", before[i]);
      i += 1;
    } else {
      push(found, "come", after[j]);
      j += 1;
    }
  }
  return found;
}

/** For each two places, how many words both texts share from there on, in order. */
function lengths(before, after) {
  const table = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const same = before[i] === after[j];
      table[i][j] = same ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
  return table;
}

function push(found, kind, text) {
  const last = found.at(-1);
  if (last?.kind === kind) last.text += text;
  else found.push({ kind, text });
}
