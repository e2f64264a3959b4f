"""The parts of forms in generation: their masked sentences, and the rows that filled sentences make."""
