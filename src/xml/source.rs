//! Bytes as a file holds them, to a source text.

use std::sync::Arc;

use super::fault::bytes;
use crate::diag::Diagnostic;
use crate::limits;
use crate::text::Source;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The text of a file known as `name`, without a byte order mark.
///
/// Bytes that are not UTF-8, that hold a zero byte or that are too many are a fault, whose place is
/// given in bytes from the beginning of the file.
pub fn source_from_bytes(name: &str, bytes: Vec<u8>) -> Result<Arc<Source>, Diagnostic> {
    if bytes.len() > limits::XML_BYTES_MAX {
        return Err(bytes::too_large(name, bytes.len(), limits::XML_BYTES_MAX));
    }
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return Err(bytes::utf16(name));
    }
    if let Some(offset) = bytes.iter().position(|&byte| byte == 0) {
        return Err(bytes::binary(name, offset));
    }
    let body = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    let skipped = bytes.len() - body.len();
    match std::str::from_utf8(body) {
        Ok(text) => Ok(Source::new(name, text)),
        Err(error) => Err(bytes::not_utf8(name, &bytes, skipped + error.valid_up_to())),
    }
}
