//! Columns.

use unicode_width::UnicodeWidthStr;

/// Rows as lines, every column but the last as wide as its widest cell.
pub(super) fn table(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let widths: Vec<_> = (0..columns)
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(|it| it.width()).max())
        .collect();
    (rows.iter())
        .map(|row| {
            let cells = row.iter().enumerate().map(|(column, cell)| {
                let width = widths[column].unwrap_or_default();
                let is_last = column + 1 == row.len();
                format!("{cell}{}", " ".repeat(if is_last { 0 } else { width - cell.width() }))
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        })
        .collect()
}
